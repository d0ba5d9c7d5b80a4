/// Writes JSON into a byte buffer: the one writer of the project.
///
/// Values are written in sequence; commas and colons come by themselves:
///
///     var writer = JSONWriter()
///     writer.beginObject()
///     writer.key("count")
///     writer.integer(3)
///     writer.endObject()
///     writer.bytes  // {"count":3}
///
/// Strings keep their characters; only quotes, backslashes and control characters are escaped.
/// A double is written in the fewest digits that read back as the same double, without ".0"
/// when it is whole. NaN and infinities, which JSON does not have, are written as null.
/// The caller keeps begin and end balanced and writes a key before each member.
package struct JSONWriter {
    /// What has been written so far.
    package private(set) var bytes: [UInt8]
    /// True when the next value at this place follows another one.
    private var needsComma = false

    /// A writer that appends to `bytes`.
    package init(into bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    /// Begins an object; members follow.
    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    /// Ends the object.
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    /// Begins an array; values follow.
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    /// Ends the array.
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a member's name; its value follows.
    package mutating func key(_ name: String) {
        separate()
        JSONWriter.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes `null`.
    package mutating func null() { literal("null") }
    /// Writes `true` or `false`.
    package mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

    /// Writes text.
    package mutating func string(_ value: String) {
        separate()
        JSONWriter.append(value, to: &bytes)
    }

    /// Writes a whole number.
    package mutating func integer(_ value: Int64) {
        separate()
        JSONWriter.append(value, to: &bytes)
    }

    /// Writes a double; see the type.
    package mutating func number(_ value: Double) {
        separate()
        JSONWriter.append(value, to: &bytes)
    }

    /// Writes a whole value.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let flag): bool(flag)
        case .integer(let whole): integer(whole)
        case .number(let real): number(real)
        case .string(let text): string(text)
        case .array(let values):
            beginArray()
            for element in values { self.value(element) }
            endArray()
        case .object(let members): object(members)
        }
    }

    /// Writes a whole object.
    package mutating func object(_ members: JSONObject) {
        beginObject()
        for member in members.members {
            key(member.key)
            value(member.value)
        }
        endObject()
    }

    /// Writes one value that is JSON text already, unchecked: it must come from this writer.
    package mutating func encoded(_ json: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Writes members that are JSON text already, with commas between them, unchecked: they must
    /// come from this writer. Nothing for an empty text.
    package mutating func members(_ text: Span<UInt8>) {
        if text.isEmpty { return }
        separate()
        unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Hands over what was written and starts anew, keeping no buffer.
    package mutating func take() -> [UInt8] {
        let taken = bytes
        bytes = []
        needsComma = false
        return taken
    }

    /// Empties the buffer and keeps its memory for the next text.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// The text of one value.
    package static func encode(_ value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(value)
        return writer.bytes
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func literal(_ text: StaticString) {
        separate()
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }
}
