import JSONText

/// A file as JavaScript clients send it: one JSON object with the keys and the bytes in base64.
struct FileForm: Sendable {
    let control: ControlMembers
    let base64: String?

    /// The longest object, in bytes: the longest file in base64, and what is beside it.
    static let limitBytes = (FileIntake.limitBytes + 2) / 3 * 4 + (64 << 10)

    /// - Throws: ``ParseRefusal``.
    init(_ body: [UInt8]) throws {
        // Bytes that are no JSON object come from a client without a known application id.
        guard let value = try? JSONParser.parse(body, maxBytes: Self.limitBytes),
            var members = value.objectValue
        else { throw ParseRefusal.unauthorized }
        control = ControlMembers(takenFrom: &members)
        base64 = members["base64"]?.stringValue
    }

    /// The bytes of the file.
    ///
    /// - Throws: ``ParseError`` 130; ``Problem`` 413.
    func bytes() throws -> [UInt8] {
        guard let base64, let bytes = Self.decoded(base64) else {
            throw ParseError(.fileSave, "Invalid file upload: base64 must be text in base64.")
        }
        guard bytes.count <= FileIntake.limitBytes else {
            throw Problem.tooLarge(FileIntake.limitBytes)
        }
        return bytes
    }

    /// Base64 with filling (RFC 4648 §4) of megabytes; nil for anything else. O(n).
    static func decoded(_ text: String) -> [UInt8]? {
        var characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4) else { return nil }
        for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for character in characters {
            let value = table[Int(character)]
            guard value < 64 else { return nil }
            // At most 6 + 6 bits wait, far from 32.
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
                bits &= (1 << count) - 1
            }
        }
        return count < 6 && bits == 0 ? bytes : nil
    }

    /// The value of each character; 64 for those that have none.
    private static let table: [UInt8] = {
        var table = [UInt8](repeating: 64, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, character) in alphabet.utf8.enumerated() {
            table[Int(character)] = UInt8(value)
        }
        return table
    }()
}
