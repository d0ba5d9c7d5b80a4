/// Which objects of a layer a question is about: some kinds, a span of time, or all.
public struct EntryFilter: Sendable, Hashable {
    /// Kinds to keep; nil keeps all, those without a kind too.
    public var kinds: Set<String>?
    /// The first time that is kept, in milliseconds since 1970.
    public var since: Int64?
    /// The first time that is no longer kept, in milliseconds since 1970.
    public var until: Int64?
    /// A test on fields that the index does not know; nil asks nothing.
    public var test: ObjectTest?

    /// Creates a filter; without arguments it keeps everything.
    public init(
        kinds: Set<String>? = nil, since: Int64? = nil, until: Int64? = nil,
        test: ObjectTest? = nil
    ) {
        self.kinds = kinds
        self.since = since
        self.until = until
        self.test = test
    }

    /// Keeps everything.
    public static let all = EntryFilter()

    /// Whether nothing is left out.
    public var keepsAll: Bool { kinds == nil && since == nil && until == nil && test == nil }
}

/// A test on an object's fields, made outside of the index.
///
/// Two tests with one name are the same test: they let the same objects of a snapshot pass.
public struct ObjectTest: Sendable, Hashable {
    /// What is asked, in one canonical form.
    public let name: String
    let passes: @Sendable (ObjectKey) -> Bool

    /// Creates a test.
    ///
    /// - Parameter passes: Called for objects that pass the filter's other parts, from any thread,
    ///   maybe more than once for the same object.
    public init(name: String, passes: @escaping @Sendable (ObjectKey) -> Bool) {
        self.name = name
        self.passes = passes
    }

    /// Whether the names are the same.
    public static func == (left: ObjectTest, right: ObjectTest) -> Bool { left.name == right.name }

    /// Mixes in the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A filter in the numbers of one snapshot.
struct ResolvedFilter: Sendable {
    /// One flag for each kind number.
    let keptKinds: [Bool]?
    /// Bit `number mod 64` of every kept kind: a page without any of them is skipped whole.
    private let kindBits: UInt64
    /// The only kind that is kept; nil for several, for none and for all.
    let soleKind: UInt16?
    let since: Int64
    let until: Int64
    let test: (@Sendable (ObjectKey) -> Bool)?

    /// nil when the filter keeps everything.
    init?(_ filter: EntryFilter, kinds: KindTable) {
        if filter.keepsAll { return nil }
        since = filter.since ?? .min
        until = filter.until ?? .max
        test = filter.test?.passes
        guard let names = filter.kinds else {
            keptKinds = nil
            soleKind = nil
            kindBits = .max
            return
        }
        var flags = [Bool](repeating: false, count: kinds.names.count)
        var bits: UInt64 = 0
        for name in names {
            guard let number = kinds.number(of: name) else { continue }
            flags[Int(number)] = true
            bits |= 1 << UInt64(number & 63)
        }
        keptKinds = flags
        soleKind =
            flags.count { $0 } == 1
            ? flags.firstIndex(of: true).map { UInt16(truncatingIfNeeded: $0) } : nil
        kindBits = bits
    }

    /// Whether some entry below a node may be kept.
    @inline(__always)
    func mayKeep(_ summary: NodeSummary) -> Bool {
        summary.kinds & kindBits != 0 && summary.latest >= since
            && (summary.earliest < until || until == .max)
    }

    /// Whether an entry of a page is kept. `until` at the end of time leaves out nothing.
    @inline(__always)
    func keeps(_ page: LeafPage, _ index: Int) -> Bool {
        let time = page.times[index]
        guard time >= since && (time < until || until == .max) else { return false }
        if let keptKinds, !keptKinds[Int(page.kinds[index])] { return false }
        guard let test else { return true }
        return test(ObjectKey(bits: page.objects[index]))
    }
}
