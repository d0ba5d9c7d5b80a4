import GeoIndex
import GeoStore

/// Where a page of objects goes on: after an object, in the order of one question.
///
/// Clients pass it back unchanged. It holds the object's keys in the order, its id and, where
/// objects come by distance, the place it had, so that the object itself may be gone when the next
/// page is asked for; and a hash of the keys and the question, by which another question's cursor
/// and a damaged one are known.
struct PageCursor: Equatable {
    /// The last object's place, where objects come by distance.
    let position: RoundedPosition?
    /// The last object's id.
    let id: String

    /// Creates the cursor after an object.
    init(position: RoundedPosition? = nil, id: String) {
        self.position = position
        self.id = id
    }

    /// The form in addresses: base64url (RFC 4648, 5) of the hash and the keys.
    func text(of question: UInt64) -> String {
        let keys = Array((position.map { "\($0.lonE7).\($0.latE7).\(id)" } ?? id).utf8)
        return Base64URL.encode(PageCursor.seal(keys[...], of: question) + keys)
    }

    /// Reads the cursor of a request.
    ///
    /// - Parameter hasPlace: Whether objects come by distance.
    /// - Throws: ``Problem`` (400) when it is none, or another question's.
    init?(_ query: MapQuery, of question: UInt64, hasPlace: Bool) throws(Problem) {
        guard let text = query.text("cursor") else { return nil }
        guard let bytes = Base64URL.decode(text), bytes.count > PageCursor.sealBytes,
            bytes.prefix(PageCursor.sealBytes).elementsEqual(
                PageCursor.seal(bytes.dropFirst(PageCursor.sealBytes), of: question)),
            let cursor = PageCursor(keys: bytes.dropFirst(PageCursor.sealBytes)),
            (cursor.position != nil) == hasPlace
        else {
            throw .parameter(
                "cursor",
                "must be the next of this question's page before, unchanged: only limit may "
                    + "differ from page to page")
        }
        self = cursor
    }

    private static let sealBytes = 8

    private static func seal(_ keys: ArraySlice<UInt8>, of question: UInt64) -> [UInt8] {
        var hash = StableHash(seed: question)
        hash.combine(bytes: keys)
        return (0..<UInt64(sealBytes)).map {
            UInt8(truncatingIfNeeded: hash.value >> (56 - 8 * $0))
        }
    }

    private init?(keys: ArraySlice<UInt8>) {
        let parts = String(decoding: keys, as: UTF8.self)
            .split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.count == 3 else { return nil }
        let id = String(parts[parts.count - 1])
        guard ObjectID.isValid(id) else { return nil }
        if parts.count == 1 {
            self.init(id: id)
            return
        }
        guard let lonE7 = Int32(parts[0]), let latE7 = Int32(parts[1]),
            abs(Int64(lonE7)) <= 1_800_000_000, abs(Int64(latE7)) <= 900_000_000
        else { return nil }
        self.init(position: RoundedPosition(lonE7: lonE7, latE7: latE7), id: id)
    }
}

extension MapQuery {
    /// Parameters that say how much of an answer is wanted, not what is asked.
    private static let sizes: Set<String> = ["limit", "cursor", "count"]

    /// A hash of what is asked: the call, its layer and all parameters but those of the page.
    ///
    /// - Parameter area: A hash of what came in the body.
    func question(_ call: String, of layer: String, area: UInt64 = 0) -> UInt64 {
        var hash = StableHash()
        hash.combine(bytes: call.utf8)
        hash.combine(bytes: layer.utf8)
        hash.combine(area)
        for item in items.sorted(by: { $0.name < $1.name })
        where !MapQuery.sizes.contains(item.name) {
            hash.combine(bytes: item.name.utf8)
            hash.combine(bytes: item.value.utf8)
        }
        return hash.value
    }
}

/// Base64 for addresses, without padding (RFC 4648, 5).
enum Base64URL {
    private static let symbols = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var word: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            word = (word << 8 | UInt32(byte)) & 0xffff
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(symbols[Int(word >> bits & 63)])
            }
        }
        if bits > 0 { text.append(symbols[Int(word << (6 - bits) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// nil for what ``encode(_:)`` does not make.
    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var word: UInt32 = 0
        var bits: UInt32 = 0
        for symbol in text.utf8 {
            guard let digit = symbols.firstIndex(of: symbol) else { return nil }
            word = (word << 6 | UInt32(digit)) & 0xffff
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> bits))
            }
        }
        return encode(bytes) == text ? bytes : nil
    }
}
