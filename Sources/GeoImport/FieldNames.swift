/// Turns the names of columns and properties into names of fields.
///
/// A field's name matches `^[A-Za-z][0-9A-Za-z_]*$`. In order:
/// 1. every run of other characters becomes one `_`, and none stands at either end;
/// 2. a name that then begins with a digit gets an `f` in front;
/// 3. a name of which nothing is left becomes `column` and the 1-based number of the column;
/// 4. a name that objects use for themselves (``reserved``) gets a `_` at the end;
/// 5. a name that an earlier column has gets `_2`, `_3` … at the end.
///
///     FieldNames.map(["Élévation (m)", "objectId", "2nd name", "🗼"])
///     // ["l_vation_m", "objectId_", "f2nd_name", "column4"]
package enum FieldNames {
    /// The longest name; what is longer is cut.
    static let maxLength = 120
    /// The names that objects use for themselves or that clients cannot send.
    package static let reserved: Set<String> = [
        "objectId", "id", "createdAt", "updatedAt", "ACL", "className", "length", "location",
        "geometry", "sourceId",
    ]

    /// The fields' names for columns, in order, all different.
    ///
    /// - Parameter kind: The column that becomes the field `kind`; another of that name gives way.
    package static func map(_ columns: [String], kind: String? = nil) -> [String] {
        map(columns, kindIndex: kind.flatMap { columns.firstIndex(of: $0) })
    }

    /// The fields' names for columns, of which one may be that of the kind.
    static func map(_ columns: [String], kindIndex: Int?) -> [String] {
        var taken: Set<String> = []
        if kindIndex != nil { taken.insert("kind") }
        return columns.enumerated().map { index, column in
            if index == kindIndex { return "kind" }
            let name = field(for: column, number: index + 1)
            var free = name
            var copy = 2
            while !taken.insert(free).inserted {
                free = "\(name)_\(copy)"
                copy += 1
            }
            return free
        }
    }

    /// The field's name for one column, before others of that name are looked at.
    package static func field(for column: String, number: Int) -> String {
        var name: [UInt8] = []
        var gap = false
        for byte in column.utf8 where name.count < maxLength {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                if gap && !name.isEmpty { name.append(UInt8(ascii: "_")) }
                gap = false
                name.append(byte)
            case UInt8(ascii: "_") where !name.isEmpty:
                // Underscores of its own are kept, but for those at the ends.
                if gap { name.append(byte) }
                gap = false
                name.append(byte)
            default: gap = true
            }
        }
        while name.last == UInt8(ascii: "_") { name.removeLast() }
        guard let first = name.first else { return "column\(number)" }
        let text = String(decoding: name, as: UTF8.self)
        if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) { return "f" + text }
        return reserved.contains(text) ? text + "_" : text
    }
}
