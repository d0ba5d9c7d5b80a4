import GeoIndex

/// The keys under which a value of a field stands in an index: bytes that compare as the values
/// do, kind by kind.
///
/// A list has a key for each element, so that a query finds it by any of them; a long text is cut.
/// A key may therefore stand for more than one value: what an index finds is judged again.
enum ValueKey {
    /// How many bytes of a text a key has.
    static let textBytes = 128
    /// How many keys one object may have in one index; an index with more is given up.
    static let greatestKeys = 512

    /// What kind of value a key is of. The order of the kinds means nothing.
    enum Tag: UInt8 {
        case nothing = 0x10
        case number = 0x20
        case date = 0x28
        case bool = 0x30
        case text = 0x38
        case reference = 0x40
        case file = 0x48
        case place = 0x50
        /// A polygon, an object, a list in a list: not told apart.
        case compound = 0x58
        case emptyList = 0x60
    }

    /// The keys of a field's value, each once. O(size of the value).
    static func keys(of value: FieldValue) -> [[UInt8]] {
        guard let elements = value.list else { return [key(of: value)] }
        guard !elements.isEmpty else { return [[Tag.emptyList.rawValue]] }
        var seen: Set<[UInt8]> = []
        return elements.map { key(of: $0) }.filter { seen.insert($0).inserted }
    }

    /// The key of a value that is no list, or that stands in one.
    static func key(of value: FieldValue) -> [UInt8] {
        switch value {
        case .missing, .null: return [Tag.nothing.rawValue]
        case .bool(let value): return [Tag.bool.rawValue, value ? 1 : 0]
        case .number(let value): return bytes(.number, ordered(value))
        case .date(let value): return bytes(.date, UInt64(bitPattern: value) ^ (1 << 63))
        case .text(let text): return bytes(.text, text)
        case .reference(let text): return bytes(.reference, text)
        case .file(let text): return bytes(.file, text)
        case .place(let place):
            let lon = UInt64(UInt32(bitPattern: place.lonE7))
            return bytes(.place, lon << 32 | UInt64(UInt32(bitPattern: place.latE7)))
        case .compound: return [Tag.compound.rawValue]
        }
    }

    /// Bits of a number that compare as numbers do; both zeros are one.
    private static func ordered(_ value: Double) -> UInt64 {
        let bits = (value == 0 ? 0 : value).bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }

    private static func bytes(_ tag: Tag, _ bits: UInt64) -> [UInt8] {
        [tag.rawValue] + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
    }

    private static func bytes(_ tag: Tag, _ text: String) -> [UInt8] {
        [tag.rawValue] + text.utf8.prefix(textBytes)
    }
}

/// A range of keys, both ends in.
struct KeyRange: Hashable, Sendable {
    var least: [UInt8]
    var greatest: [UInt8]

    /// One key.
    init(_ key: [UInt8]) { (least, greatest) = (key, key) }

    init(from least: [UInt8], through greatest: [UInt8]) {
        (self.least, self.greatest) = (least, greatest)
    }

    var isOneKey: Bool { least == greatest }

    /// What both have; nil when that is nothing.
    func common(_ other: KeyRange) -> KeyRange? {
        let low = least.lexicographicallyPrecedes(other.least) ? other.least : least
        let high = greatest.lexicographicallyPrecedes(other.greatest) ? greatest : other.greatest
        return high.lexicographicallyPrecedes(low) ? nil : KeyRange(from: low, through: high)
    }
}

extension KeyRange {
    /// How many ranges one query reads at most.
    static let greatestCount = 1_000

    /// The range that holds a key of every value that passes a comparison or a pattern; nil when
    /// keys do not tell.
    init?(range test: WhereTest) {
        switch test {
        case .less(let bound, _):
            let key = ValueKey.key(of: bound)
            self.init(from: [key[0]], through: key)
        case .greater(let bound, _):
            let key = ValueKey.key(of: bound)
            self.init(from: key, through: KeyRange.end(of: key[0]))
        case .matches(let pattern, _):
            guard let prefix = pattern.prefix else { return nil }
            let key = ValueKey.key(of: .text(prefix))
            // No byte of UTF-8 is 255. What was cut holds more.
            self.init(from: key, through: key + [0xFF])
        default: return nil
        }
    }

    /// After every key of a kind.
    private static func end(of tag: UInt8) -> [UInt8] { [tag + 1] }

    /// The ranges that hold a key of every value that passes a test; nil when keys do not tell.
    static func ranges(of test: WhereTest) -> [KeyRange]? {
        switch test {
        case .equals(let value):
            return value.list == nil ? [KeyRange(ValueKey.key(of: value))] : nil
        case .isIn(let values):
            guard values.count <= greatestCount, values.allSatisfy({ $0.list == nil }) else {
                return nil
            }
            return Set(values.map { KeyRange(ValueKey.key(of: $0)) })
                .sorted { $0.least.lexicographicallyPrecedes($1.least) }
        case .containsAll(let tests):
            return tests.lazy.compactMap { ranges(of: $0) }.first
        default: return KeyRange(range: test).map { [$0] }
        }
    }
}
