/// A coordinate reference system by its number in the EPSG register.
package struct CRSCode: Hashable, Sendable {
    /// The number, such as 25832 for UTM zone 32N.
    package let number: Int32

    /// WGS 84 in degrees, which is what is stored.
    package static let wgs84 = CRSCode(number: 4326)

    private init(number: Int32) { self.number = number }

    /// Reads `EPSG:25832`, in any case; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "epsg" else { return nil }
        self.init(digits: parts[1])
    }

    /// Reads the name in a GeoJSON `crs` member of 2008: `urn:ogc:def:crs:EPSG::25832`,
    /// `EPSG:25832`, or one of the two for WGS 84 with the longitude first.
    init?(legacyName text: String) {
        let parts = text.lowercased().split(separator: ":", omittingEmptySubsequences: false)
        if parts.last == "crs84" {
            self = .wgs84
        } else if parts.count >= 2, parts.contains("epsg"), let last = parts.last {
            self.init(digits: last)
        } else {
            return nil
        }
    }

    private init?(digits: Substring) {
        guard (1...7).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int32(digits), number > 0
        else { return nil }
        self.number = number
    }

    /// Asks PROJ whether coordinates can be read in the system.
    ///
    /// - Throws: ``ImportError/noSuchCRS(code:)``, ``ImportError/unsuitableCRS(code:)``.
    package func check() throws(ImportError) { _ = try CoordinateTransform(from: self) }

    /// `EPSG:` and the number.
    package var text: String { "EPSG:\(number)" }
}
