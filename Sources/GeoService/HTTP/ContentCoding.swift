/// How the bytes of an answer are packed for the way.
enum ContentCoding: Sendable {
    case identity, gzip

    /// Bodies of this size and less are sent as they are.
    static let thresholdBytes = 1_000

    /// Whether a client that sent this `Accept-Encoding` takes gzip (RFC 9110 §12.5.3).
    ///
    /// `gzip` or `x-gzip` counts before `*`; `q=0` refuses. Identity is preferred only where it
    /// has the greater weight.
    static func acceptsGzip(_ header: ArraySlice<UInt8>) -> Bool {
        var gzip: Int?
        var any: Int?
        var identity: Int?
        for part in header.split(separator: 0x2c) {
            let fields = part.split(separator: 0x3b)
            guard let name = fields.first.map({ lowercased($0) }) else { continue }
            let weight =
                fields.dropFirst().lazy.map { lowercased($0) }
                .first { $0.starts(with: "q=".utf8) }
                .map { thousandths($0.dropFirst(2)) } ?? 1_000
            if name.elementsEqual("gzip".utf8) || name.elementsEqual("x-gzip".utf8) {
                gzip = max(gzip ?? 0, weight)
            } else if name.elementsEqual("*".utf8) {
                any = weight
            } else if name.elementsEqual("identity".utf8) {
                identity = weight
            }
        }
        let weight = gzip ?? any ?? 0
        return weight > 0 && weight >= identity ?? 0
    }

    private static func lowercased(_ text: ArraySlice<UInt8>) -> [UInt8] {
        text.filter { $0 != 0x20 && $0 != 0x09 }
            .map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
    }

    /// `1`, `0.5`, `0.125` in thousandths; what is none of these counts as 0.
    private static func thousandths(_ text: ArraySlice<UInt8>) -> Int {
        guard let whole = text.first, (0x30...0x31).contains(whole) else { return 0 }
        var value = Int(whole - 0x30) * 1_000
        var step = 100
        for byte in text.dropFirst(2).prefix(3) {
            guard (0x30...0x39).contains(byte) else { return 0 }
            value += Int(byte - 0x30) * step
            step /= 10
        }
        return min(value, 1_000)
    }
}
