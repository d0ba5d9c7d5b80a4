/// Which objects of a layer a question is about: some kinds, a span of time, or all.
public struct EntryFilter: Sendable, Hashable {
    /// Kinds to keep; nil keeps all, those without a kind too.
    public var kinds: Set<String>?
    /// The first time that is kept, in milliseconds since 1970.
    public var since: Int64?
    /// The first time that is no longer kept, in milliseconds since 1970.
    public var until: Int64?

    /// Creates a filter; without arguments it keeps everything.
    public init(kinds: Set<String>? = nil, since: Int64? = nil, until: Int64? = nil) {
        self.kinds = kinds
        self.since = since
        self.until = until
    }

    /// Keeps everything.
    public static let all = EntryFilter()

    /// Whether nothing is left out.
    public var keepsAll: Bool { kinds == nil && since == nil && until == nil }
}

/// A filter in the numbers of one snapshot.
struct ResolvedFilter: Sendable {
    /// One flag for each kind number.
    private let keptKinds: [Bool]?
    /// Bit `number mod 64` of every kept kind: a page without any of them is skipped whole.
    private let kindBits: UInt64
    private let since: Int64
    private let until: Int64

    /// nil when the filter keeps everything.
    init?(_ filter: EntryFilter, kinds: KindTable) {
        if filter.keepsAll { return nil }
        since = filter.since ?? .min
        until = filter.until ?? .max
        guard let names = filter.kinds else {
            keptKinds = nil
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
        kindBits = bits
    }

    /// Whether some entry below a node may be kept.
    @inline(__always)
    func mayKeep(_ summary: NodeSummary) -> Bool {
        summary.kinds & kindBits != 0 && summary.latest >= since
            && (summary.earliest < until || until == .max)
    }

    /// Whether an entry is kept. `until` at the end of time leaves out nothing.
    @inline(__always)
    func keeps(kind: UInt16, time: Int64) -> Bool {
        guard time >= since && (time < until || until == .max) else { return false }
        guard let keptKinds else { return true }
        return keptKinds[Int(kind)]
    }
}
