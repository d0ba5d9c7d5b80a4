/// One parameter of a call, and the forms that parameters have.
///
/// Each method throws a ``DirectionsError`` that names the parameter and says what would be right.
struct OptionText {
    let name: String
    let value: String
    /// How many coordinates the call has: lists have an item for each.
    let coordinates: Int

    func flag() throws(DirectionsError) -> Bool {
        try check(["true", "false"])
        return value == "true"
    }

    func check(_ words: [String]) throws(DirectionsError) {
        guard words.contains(value) else {
            throw .parameter(name, "must be \(OptionText.list(words))")
        }
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        of type: Choice.Type
    ) throws(DirectionsError) -> Choice {
        guard let choice = Choice(rawValue: value) else {
            throw .parameter(
                name, "must be \(OptionText.list(Choice.allCases.map(\.rawValue)))")
        }
        return choice
    }

    /// Several words, separated by commas.
    func choices<Choice: RawRepresentable<String> & CaseIterable & Hashable>(
        of type: Choice.Type
    ) throws(DirectionsError) -> Set<Choice> {
        let words = value.split(separator: ",", omittingEmptySubsequences: false)
        let choices = words.compactMap { Choice(rawValue: String($0)) }
        guard choices.count == words.count else {
            throw .parameter(
                name,
                "must be of \(OptionText.list(Choice.allCases.map(\.rawValue))), separated by "
                    + "commas")
        }
        return Set(choices)
    }

    func whole(in range: ClosedRange<Int>) throws(DirectionsError) -> Int {
        guard let number = Int(value), range.contains(number) else {
            throw .parameter(
                name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A number above 0, and small enough that what it multiplies stays finite.
    func positive() throws(DirectionsError) -> Double {
        guard let number = CoordinateText.decimal(value[...]), number > 0, number <= 1e9 else {
            throw .parameter(name, "must be a number above 0, at most 1e9")
        }
        return number
    }

    /// Numbers of coordinates, each once, separated by semicolons.
    func indices() throws(DirectionsError) -> [Int] {
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }.filter { (0..<coordinates).contains($0) }
        guard numbers.count == parts.count, Set(numbers).count == numbers.count else {
            throw .parameter(
                name,
                "must be numbers of coordinates from 0 to \(coordinates - 1), each once, separated "
                    + "by semicolons")
        }
        return numbers
    }

    func indicesOrAll() throws(DirectionsError) -> [Int] {
        value == "all" ? Array(0..<coordinates) : try indices()
    }

    /// Looks at a list with an item for each coordinate.
    func checkEach(
        _ whatIsRight: String, _ isRight: (Substring) -> Bool
    ) throws(DirectionsError) {
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count == coordinates else {
            throw .parameter(
                name,
                "has \(parts.count) items for \(coordinates) coordinates; they are separated by "
                    + "semicolons")
        }
        guard parts.allSatisfy(isRight) else {
            throw .parameter(name, "has a wrong item: each \(whatIsRight)")
        }
    }

    func checkAll(
        between separator: Character, _ whatIsRight: String, _ isRight: (Substring) -> Bool
    ) throws(DirectionsError) {
        let parts = value.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.allSatisfy(isRight) else { throw .parameter(name, whatIsRight) }
    }

    // MARK: - Items

    static func isName(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isHint)
    }

    /// A character of base64 in either alphabet.
    static func isHint(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2b, 0x2d, 0x2f, 0x3d, 0x5f: true
        default: false
        }
    }

    static func isBearing(_ text: Substring) -> Bool {
        if text.isEmpty { return true }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }
        return parts.count == 2 && numbers.count == 2 && (0...360).contains(numbers[0])
            && (0...180).contains(numbers[1])
    }

    private static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.joined() }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
