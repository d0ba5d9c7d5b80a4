import JSONText
import TileRender

/// Writes fields of objects and clusters as properties of vector tile features: texts, whole
/// numbers, numbers and truth values. What is nested becomes its JSON text, and null is left out:
/// a tile has neither.
struct PropertyWriter {
    private let parser = JSONParser()
    private var members: [(name: Range<Int>, value: Range<Int>)] = []
    private var scratch: [UInt8] = []

    /// Adds the members of a JSON object, ascending by the bytes of their names: the order in which
    /// they happen to be stored shows nowhere.
    ///
    /// - Parameter text: Members without the braces, as ``JSONWriter`` writes them.
    mutating func add(_ text: Span<UInt8>, to layer: inout VectorLayerWriter) {
        if text.isEmpty { return }
        scratch.removeAll(keepingCapacity: true)
        scratch.append(UInt8(ascii: "{"))
        unsafe text.withUnsafeBufferPointer { unsafe scratch.append(contentsOf: $0) }
        scratch.append(UInt8(ascii: "}"))
        let bytes = scratch
        members.removeAll(keepingCapacity: true)
        var scanner = MemberScanner(bytes.span)
        while let member = scanner.next() {
            // Behind the name stands a colon.
            members.append((member.name, member.name.upperBound + 1..<member.whole.upperBound))
        }
        members.sort { left, right in
            bytes[left.name].lexicographicallyPrecedes(bytes[right.name])
        }
        for member in members {
            let name = PropertyWriter.inQuotes(member.name)
            let value = bytes.span.extracting(member.value)
            // A field's name has no character that is escaped.
            add(value, as: bytes.span.extracting(name), to: &layer)
        }
    }

    /// The names of the members of a JSON object that are not null.
    static func names(in text: Span<UInt8>) -> [String] {
        var bytes = [UInt8(ascii: "{")]
        unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "}"))
        var names: [String] = []
        var scanner = MemberScanner(bytes.span)
        while let member = scanner.next() {
            // Behind the name stands a colon.
            guard bytes[member.name.upperBound + 1] != UInt8(ascii: "n") else { continue }
            names.append(String(decoding: bytes[inQuotes(member.name)], as: UTF8.self))
        }
        return names
    }

    private static func inQuotes(_ range: Range<Int>) -> Range<Int> {
        range.lowerBound + 1..<range.upperBound - 1
    }

    private func add(
        _ value: Span<UInt8>, as name: Span<UInt8>, to layer: inout VectorLayerWriter
    ) {
        if value.isEmpty { return }
        switch value[0] {
        case UInt8(ascii: "n"): return
        case UInt8(ascii: "t"): layer.add(layer.key(name), flag: true)
        case UInt8(ascii: "f"): layer.add(layer.key(name), flag: false)
        case UInt8(ascii: "{"), UInt8(ascii: "["): layer.add(layer.key(name), text: value)
        case UInt8(ascii: "\""):
            let inner = value.extracting(PropertyWriter.inQuotes(0..<value.count))
            if !PropertyWriter.has(inner, UInt8(ascii: "\\")) {
                layer.add(layer.key(name), text: inner)
            } else if case .string(let text)? = try? parser.parse(value) {
                layer.add(layer.key(name), text: text)
            }
        default:
            if let whole = PropertyWriter.whole(value) {
                layer.add(layer.key(name), whole: whole)
                return
            }
            switch try? parser.parse(value) {
            case .integer(let whole)?: layer.add(layer.key(name), whole: whole)
            case .number(let number)?: layer.add(layer.key(name), number: number)
            default: return
            }
        }
    }

    private static func has(_ text: Span<UInt8>, _ byte: UInt8) -> Bool {
        for index in text.indices where text[index] == byte { return true }
        return false
    }

    /// A whole number of up to 18 digits; nil for any other text.
    private static func whole(_ text: Span<UInt8>) -> Int64? {
        let isNegative = text[0] == UInt8(ascii: "-")
        let digits = text.count - (isNegative ? 1 : 0)
        guard (1...18).contains(digits) else { return nil }
        var number: Int64 = 0
        for index in (isNegative ? 1 : 0)..<text.count {
            let byte = text[index]
            guard (0x30...0x39).contains(byte) else { return nil }
            number = 10 * number + Int64(byte - 0x30)
        }
        return isNegative ? -number : number
    }
}
