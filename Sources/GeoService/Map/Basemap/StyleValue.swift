import JSONText
import TileRender

/// What is wrong in a style file, and where.
struct StyleFault: Error {
    let path: [JSONLines.Step]
    /// The rest of a sentence that begins with the place.
    let whatIsRight: String

    /// The place as a person writes it: `layers[3].width`.
    var field: String {
        var text = ""
        for step in path {
            switch step {
            case .member(let name): text += text.isEmpty ? name : ".\(name)"
            case .element(let index): text += "[\(index)]"
            }
        }
        return text.isEmpty ? "the file" : text
    }
}

/// A value of a style file and its place in it. All that it reads is checked.
struct StyleValue {
    let value: JSONValue
    let path: [JSONLines.Step]

    /// How many elements a list has at most.
    private static let listLimit = 256

    func fault(_ whatIsRight: String) -> StyleFault {
        StyleFault(path: path, whatIsRight: whatIsRight)
    }

    // MARK: Objects

    /// The members of an object, which may have no others than these.
    func members(_ known: [String]) throws(StyleFault) -> JSONObject {
        guard let members = value.objectValue else { throw fault("must be an object") }
        for name in members.keys where !known.contains(name) {
            throw StyleFault(
                path: path + [.member(name)],
                whatIsRight: "is no setting; there are \(known.joined(separator: ", "))")
        }
        return members
    }

    /// A member that may be missing.
    func optional(_ name: String) -> StyleValue? {
        value[name].map { StyleValue(value: $0, path: path + [.member(name)]) }
    }

    /// A member that must be there.
    func required(_ name: String) throws(StyleFault) -> StyleValue {
        guard let member = optional(name) else { throw fault("must have the member \(name)") }
        return member
    }

    /// The elements of a list.
    func elements(_ whatIsRight: String) throws(StyleFault) -> [StyleValue] {
        guard let values = value.arrayValue, (1...StyleValue.listLimit).contains(values.count)
        else { throw fault("must be a list of 1 to \(StyleValue.listLimit) \(whatIsRight)") }
        return values.enumerated().map { StyleValue(value: $1, path: path + [.element($0)]) }
    }

    // MARK: Scalars

    func text() throws(StyleFault) -> String {
        guard let text = value.stringValue else { throw fault("must be a text") }
        return text
    }

    func flag() throws(StyleFault) -> Bool {
        guard let flag = value.boolValue else { throw fault("must be true or false") }
        return flag
    }

    func number(in range: ClosedRange<Double>, of unit: String) throws(StyleFault) -> Double {
        guard let number = value.doubleValue, range.contains(number) else {
            throw fault(
                "must be a number of \(unit) from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func wholeNumber(in range: ClosedRange<UInt8>, _ what: String) throws(StyleFault) -> UInt8 {
        guard let number = value.integerValue.flatMap({ UInt8(exactly: $0) }),
            range.contains(number)
        else {
            throw fault(
                "must be \(what): a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// One of the words that name a class of things: the cases' own names.
    func word<Word: CaseIterable>(_ what: String) throws(StyleFault) -> Word {
        let text = value.stringValue
        guard let word = Word.allCases.first(where: { "\($0)" == text }) else {
            let known = Word.allCases.map { "\($0)" }.joined(separator: ", ")
            throw fault("must be \(what): one of \(known)")
        }
        return word
    }

    // MARK: Pairs

    /// Pairs of a whole number and a number, in a list.
    func pairs(
        _ what: String, first range: ClosedRange<UInt8>, values: ClosedRange<Double>,
        of unit: String
    ) throws(StyleFault) -> [(first: UInt8, value: Double)] {
        var pairs: [(first: UInt8, value: Double)] = []
        for element in try elements("pairs [\(what), \(unit)]") {
            guard element.value.arrayValue?.count == 2 else {
                throw element.fault("must be a pair [\(what), \(unit)]")
            }
            let parts = try element.elements("")
            pairs.append(
                (
                    try parts[0].wholeNumber(in: range, "a \(what)"),
                    try parts[1].number(in: values, of: unit)
                ))
        }
        return pairs
    }

    /// A number, or numbers by zoom, ascending.
    func curve(
        in range: ClosedRange<Double>, of unit: String
    ) throws(StyleFault) -> ZoomCurve {
        if value.doubleValue != nil { return ZoomCurve(try number(in: range, of: unit)) }
        guard value.arrayValue != nil else {
            throw fault("must be a number of \(unit), or a list of pairs [zoom, \(unit)]")
        }
        let pairs = try pairs("zoom", first: StyleValue.zooms, values: range, of: unit)
        guard zip(pairs, pairs.dropFirst()).allSatisfy({ $0.first < $1.first }) else {
            throw fault("must have ascending zooms")
        }
        return ZoomCurve(pairs.map { ZoomCurve.Stop(zoom: $0.first, value: $0.value) })
    }

    /// A number, or numbers by least rank, descending to rank 0.
    func steps(
        in range: ClosedRange<Double>, of unit: String
    ) throws(StyleFault) -> [BasemapStyle.Look.Step] {
        if value.doubleValue != nil {
            return [.init(leastRank: 0, pixels: try number(in: range, of: unit))]
        }
        let steps = try pairs("least rank", first: 0...255, values: range, of: unit).map {
            BasemapStyle.Look.Step(leastRank: $0.first, pixels: $0.value)
        }
        guard BasemapStyle.Look.isWhole(steps) else {
            throw fault("must have ranks that descend and end at 0")
        }
        return steps
    }

    /// The zooms of tiles.
    static let zooms: ClosedRange<UInt8> = 0...22

    /// The zooms `from` to `to` of an object; all when it has neither.
    func zoomRange() throws(StyleFault) -> ClosedRange<UInt8> {
        let first = try optional("from")?.wholeNumber(in: StyleValue.zooms, "a zoom") ?? 0
        let last = try optional("to")?.wholeNumber(in: first...22, "a zoom") ?? 22
        return first...last
    }
}
