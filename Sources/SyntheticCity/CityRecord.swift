/// One object of a synthetic city. Plain numbers; the texts are made when asked for.
package struct CityRecord: Hashable, Sendable {
    /// The 1-based number, which is also the id.
    package let number: UInt64
    /// Millionths of a degree east, in ±180 000 000.
    package let lonE6: Int32
    /// Millionths of a degree north, in ±90 000 000.
    package let latE6: Int32
    /// What the object is.
    package let kind: CityKind
    /// The weight in hundredths: 1.00 to 1 000.00, most of them small.
    package let weightHundredths: Int32
    /// Milliseconds since 1970 UTC.
    package let timeMilliseconds: Int64
    /// The number of the user who owns it, below ``ownerPool``; low numbers own many objects.
    package let owner: UInt32
    /// The random bits that choose the words of the title.
    let titleBits: UInt64

    /// How many users there are to own something.
    package static let ownerPool: UInt32 = 50_000

    /// Decimal degrees east.
    package var lon: Double { Double(lonE6) / 1e6 }
    /// Decimal degrees north.
    package var lat: Double { Double(latE6) / 1e6 }
    /// The weight.
    package var weight: Double { Double(weightHundredths) / 100 }
    /// The id as text: the number in decimal.
    package var id: String { String(number) }
    /// The owner as text, such as `user00042`.
    package var ownerName: String {
        let digits = String(owner)
        return "user" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    }
    /// The time as RFC 3339 in UTC with milliseconds.
    package var time: String {
        var text: [UInt8] = []
        text.append(rfc3339Milliseconds: timeMilliseconds)
        return String(decoding: text, as: UTF8.self)
    }
    /// A title, such as `Bakery on Mill Lane`.
    package var title: String { TitleWords.title(kind: kind, bits: titleBits) }
}
