/// What a `Range` field asks of a body (RFC 9110 §14.2).
enum ByteRange: Equatable, Sendable {
    /// All of it: there is no field, or one that this service does not honour, such as several
    /// ranges at once.
    case whole
    /// These bytes.
    case part(Range<UInt64>)
    /// Nothing that the body has.
    case unsatisfiable

    /// Reads the field for a body of so many bytes.
    init(_ field: String?, of count: UInt64) {
        guard let field, let equals = field.firstIndex(of: "="),
            field[..<equals].lowercased() == "bytes"
        else {
            self = .whole
            return
        }
        let text = field[field.index(after: equals)...].filter { $0 != " " && $0 != "\t" }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy(Self.isNumber), ends != ["", ""] else {
            self = .whole
            return
        }
        // A number that does not fit is beyond any file.
        let first = ends[0].isEmpty ? nil : UInt64(ends[0]) ?? .max
        let last = ends[1].isEmpty ? nil : UInt64(ends[1]) ?? .max
        switch (first, last) {
        case (let first?, let last?) where last < first: self = .whole
        case (let first?, let last):
            guard first < count else {
                self = .unsatisfiable
                return
            }
            self = .part(first..<min(last ?? count, count - 1) + 1)
        case (nil, let length):
            let length = min(length ?? 0, count)
            self = length == 0 ? .unsatisfiable : .part(count - length..<count)
        }
    }

    private static func isNumber(_ text: Substring) -> Bool {
        text.utf8.count <= 30 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
