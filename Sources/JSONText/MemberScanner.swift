/// Finds the members of an object's text without making values of them.
///
/// The text is one that ``JSONWriter`` wrote: no white space, each name once. Of any other text the
/// scanner gives some ranges within it, or ends with ``isDone`` false; it never traps.
///
///     var scanner = MemberScanner(text.span)  // {"a":[1,2],"b":"c"}
///     while let member = scanner.next() { … }  // "a":[1,2] and "b":"c"
///
/// - Complexity: O(bytes) for all members together.
package struct MemberScanner: ~Escapable {
    /// Where a member stands in the text.
    package struct Member {
        /// Its name as it is written, quotes included.
        package let name: Range<Int>
        /// Name, colon and value.
        package let whole: Range<Int>
    }

    private let text: Span<UInt8>
    private var place = 1
    /// True when the text was an object and all of its members were given.
    package private(set) var isDone = false

    /// Begins before the first member.
    @_lifetime(copy text)
    package init(_ text: Span<UInt8>) { self.text = text }

    /// The next member; nil at the end of the object, and where the text is no object.
    package mutating func next() -> Member? {
        guard !isDone, byte(0) == UInt8(ascii: "{") else { return nil }
        if place == 1 && byte(1) == UInt8(ascii: "}") {
            isDone = text.count == 2
            return nil
        }
        let start = place
        guard byte(start) == UInt8(ascii: "\""), let name = endOfString(from: start),
            byte(name) == UInt8(ascii: ":"), let end = endOfValue(from: name + 1)
        else { return nil }
        let isLast = byte(end) == UInt8(ascii: "}")
        guard isLast ? end + 1 == text.count : byte(end) == UInt8(ascii: ",") else { return nil }
        place = end + 1
        isDone = isLast
        return Member(name: start..<name, whole: start..<end)
    }

    private func byte(_ index: Int) -> UInt8? { index < text.count ? text[index] : nil }

    /// The place behind a string's closing quote.
    private func endOfString(from start: Int) -> Int? {
        var index = start + 1
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }

    /// The place behind a value: that of the comma or bracket that ends it.
    private func endOfValue(from start: Int) -> Int? {
        var index = start
        var depth = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""):
                guard let end = endOfString(from: index) else { return nil }
                index = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return index > start ? index : nil }
                depth -= 1
            case UInt8(ascii: ","):
                if depth == 0 { return index > start ? index : nil }
            default: break
            }
            index += 1
        }
        return nil
    }
}
