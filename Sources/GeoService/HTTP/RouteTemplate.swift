/// A path template: literal segments, and segments that hold a parameter between literal affixes.
///
///     RouteTemplate("/tiles/{layer}/{z}/{x}/{y}@2x.png").names  // ["layer", "z", "x", "y"]
///     RouteTemplate("/assets/{path...}")                        // the last takes all that is left
struct RouteTemplate: Sendable {
    /// One segment.
    enum Segment: Equatable, Sendable {
        case literal([UInt8])
        case parameter(prefix: [UInt8], suffix: [UInt8])
        case rest
    }

    /// The most parameters that one template may have.
    static let maxParameters = 6

    /// The template as it was written: the name of the route in metrics.
    let text: String
    let segments: [Segment]
    /// The parameters, in order.
    let names: [String]

    /// Creates a template.
    ///
    /// - Precondition: it begins with `/`, has at most ``maxParameters`` parameters, at most one
    ///   in a segment, and `{name...}` only at its end.
    init(_ text: String) {
        self.text = text
        precondition(text.hasPrefix("/"), "the template \(text) does not begin with /")
        var segments: [Segment] = []
        var names: [String] = []
        for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let open = part.firstIndex(of: "{") else {
                segments.append(.literal(Array(part.utf8)))
                continue
            }
            guard let close = part.firstIndex(of: "}"), open < close else {
                preconditionFailure("the template \(text) has an unclosed parameter")
            }
            let name = part[part.index(after: open)..<close]
            let suffix = part[part.index(after: close)...]
            if name.hasSuffix("...") {
                names.append(String(name.dropLast(3)))
                segments.append(.rest)
            } else {
                names.append(String(name))
                segments.append(
                    .parameter(prefix: Array(part[..<open].utf8), suffix: Array(suffix.utf8)))
            }
        }
        precondition(
            names.count <= Self.maxParameters, "the template \(text) has too many parameters")
        precondition(
            !segments.dropLast().contains(.rest), "the template \(text) goes on behind its rest")
        self.segments = segments
        self.names = names
    }
}

/// Where the parameters of a matched path stand in it.
struct PathValues: Sendable {
    private var bounds = InlineArray<6, UInt64>(repeating: 0)
    private(set) var count = 0

    mutating func append(_ range: Range<Int>) {
        // Paths are far shorter than 4 GB: the head is at most 64 kB.
        bounds[count] = UInt64(range.lowerBound) << 32 | UInt64(range.upperBound)
        count += 1
    }

    mutating func removeLast() { count -= 1 }

    subscript(index: Int) -> Range<Int> {
        Int(bounds[index] >> 32)..<Int(bounds[index] & 0xffff_ffff)
    }
}
