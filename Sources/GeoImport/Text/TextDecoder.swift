import Glibc

/// Turns bytes of another encoding into UTF-8, by `iconv` of the C library.
///
/// What is no character in the encoding becomes U+FFFD. It belongs to one thread at a time.
@safe final class TextDecoder {
    private let handle: iconv_t
    /// The beginning of a character whose end has not come yet.
    private var rest: [UInt8] = []

    /// No encoding has longer characters, shifts included.
    private static let longestCharacter = 16

    /// Creates a decoder.
    ///
    /// - Throws: ``ImportError/noSuchEncoding(name:)``.
    init(_ encoding: TextEncoding) throws(ImportError) {
        let opened = unsafe iconv_open("UTF-8", encoding.name)
        guard Int(bitPattern: opened) != -1, let opened = unsafe opened else {
            throw .noSuchEncoding(name: encoding.name)
        }
        unsafe handle = opened
    }

    deinit { unsafe _ = iconv_close(handle) }

    /// The text of the next bytes, but for a character that they leave unfinished.
    func decode(_ piece: Span<UInt8>) -> [UInt8] {
        var input = rest
        input.append(piece, 0..<piece.count)
        var place = 0
        let text = convert(input, from: &place)
        rest = Array(input[place...])
        return text
    }

    /// The text of what was left.
    func finish() -> [UInt8] {
        defer { rest = [] }
        return rest.isEmpty ? [] : TextDecoder.replacement
    }

    private static let replacement: [UInt8] = [0xef, 0xbf, 0xbd]

    private func convert(_ input: [UInt8], from place: inout Int) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(input.count + input.count / 2 + 16)
        var room = [UInt8](repeating: 0, count: max(64, min(input.count * 2, 1 << 18)))
        while place < input.count {
            let (code, taken, made) = step(input, place, &room)
            place += taken
            text += room[..<made]
            guard code != 0 else { continue }
            if code == E2BIG { continue }
            if code == EINVAL && input.count - place < TextDecoder.longestCharacter { break }
            // A byte that begins no character.
            text += TextDecoder.replacement
            place += 1
        }
        return text
    }

    private func step(
        _ input: [UInt8], _ place: Int, _ room: inout [UInt8]
    ) -> (code: Int32, taken: Int, made: Int) {
        unsafe input.withUnsafeBytes { bytes in
            unsafe room.withUnsafeMutableBytes { buffer in
                // iconv reads through a pointer that is not const, and writes nothing there.
                var source = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)?
                    .advanced(by: place).assumingMemoryBound(to: CChar.self)
                var sourceLeft = bytes.count - place
                var target = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
                var targetLeft = buffer.count
                let result = unsafe iconv(handle, &source, &sourceLeft, &target, &targetLeft)
                let code = result == -1 ? errno : 0
                return (code, bytes.count - place - sourceLeft, buffer.count - targetLeft)
            }
        }
    }
}
