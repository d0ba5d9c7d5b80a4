/// The rules and the making of object ids.
package enum ObjectID {
    /// How many characters a server-made id has.
    package static let madeLength = 10
    /// The longest id that is taken from outside, in characters.
    package static let maximumLength = 64
    /// The characters of made ids, in the order in which the store sorts them.
    static let alphabet = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    /// 62^10: how many made ids there are.
    static let space: UInt64 = 839_299_365_868_340_224

    /// True for 1 to 64 characters of `[A-Za-z0-9_-]`.
    package static func isValid(_ text: String) -> Bool {
        let utf8 = text.utf8
        guard (1...maximumLength).contains(utf8.count) else { return false }
        return utf8.allSatisfy { byte in
            ASCII.isLetterOrDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
    }

    /// A random id of 10 characters of `[A-Za-z0-9]` (59 bits).
    package static func random() -> String {
        var random = SystemRandomNumberGenerator()
        return text(of: UInt64.random(in: 0..<space, using: &random))
    }

    /// The id of a number below `space`; a greater number has the greater id.
    static func text(of number: UInt64) -> String {
        var rest = number
        var characters = [UInt8](repeating: 0, count: madeLength)
        for place in (0..<madeLength).reversed() {
            characters[place] = alphabet[Int(rest % 62)]
            rest /= 62
        }
        return String(decoding: characters, as: UTF8.self)
    }
}

/// Makes ids that ascend, for a batch of inserts: they then go to one end of the store's index,
/// which is three to five times as fast as random places.
///
/// The batch begins at a random place and goes on in random steps of up to 65 536, so ids of
/// different batches meet by chance only; an insert that meets one fails with
/// ``StoreError/objectExists(className:objectId:)`` and takes the next id.
package struct AscendingObjectIDs: Sendable {
    private var last: UInt64
    private static let greatestStep: UInt64 = 65_536

    /// A generator that begins at a random place.
    package init() {
        var random = SystemRandomNumberGenerator()
        self.init(using: &random)
    }

    /// A generator that begins at a place drawn from `random`.
    package init(using random: inout some RandomNumberGenerator) {
        // Begins in the lower half, so that a batch would need 6·10^12 ids to reach the end.
        last = UInt64.random(in: 0..<ObjectID.space / 2, using: &random)
    }

    /// The next id, greater than all before it.
    package mutating func next() -> String {
        var random = SystemRandomNumberGenerator()
        return next(using: &random)
    }

    /// The next id, with the step drawn from `random`.
    package mutating func next(using random: inout some RandomNumberGenerator) -> String {
        last += UInt64.random(in: 1...AscendingObjectIDs.greatestStep, using: &random)
        precondition(last < ObjectID.space, "a batch of more than 6·10^12 ids")
        return ObjectID.text(of: last)
    }
}

/// Classes of ASCII characters.
enum ASCII {
    /// `[A-Za-z]`
    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// `[A-Za-z0-9]`
    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
