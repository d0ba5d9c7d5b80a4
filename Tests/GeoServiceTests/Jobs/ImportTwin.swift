import JSONText
import TestSupport

/// One row of a table for tests.
struct TableRow {
    var id: String
    var lon: String
    var size: String
    var name: String
}

/// A table of rows, and what an import of it does, in memory and row by row.
struct ImportTwin {
    private(set) var objects: [String: JSONObject] = [:]
    /// Whether the class keeps `size` as a number; nil before the first one.
    private var sizeIsNumber: Bool?

    struct Counts: Equatable {
        var added = 0
        var updated = 0
        var unchanged = 0
        var removed = 0
        var rejectedLines: [Int] = []
    }

    mutating func take(_ rows: [TableRow], sync: Bool) -> Counts {
        var counts = Counts()
        var named: Set<String> = []
        let isNumber = rows.allSatisfy { $0.size.isEmpty || Double($0.size) != nil }
        for (index, row) in rows.enumerated() {
            named.insert(row.id)
            guard let lon = Double(row.lon),
                row.size.isEmpty || sizeIsNumber == nil || sizeIsNumber == isNumber
            else {
                counts.rejectedLines.append(index + 2)
                continue
            }
            var fields: JSONObject = [
                "location": ["__type": "GeoPoint", "latitude": 1, "longitude": .number(lon)]
            ]
            if !row.name.isEmpty { fields["name"] = .string(row.name) }
            if !row.size.isEmpty {
                sizeIsNumber = isNumber
                fields["size"] =
                    isNumber ? .number(Double(row.size) ?? .nan) : .string(row.size)
            }
            guard let old = objects[row.id] else {
                objects[row.id] = fields
                counts.added += 1
                continue
            }
            var new = old
            for member in fields { new[member.key] = member.value }
            if new == old { counts.unchanged += 1 } else { counts.updated += 1 }
            objects[row.id] = new
        }
        if sync {
            for id in Set(objects.keys).subtracting(named) {
                objects[id] = nil
                counts.removed += 1
            }
        }
        return counts
    }

    static func table(_ rows: [TableRow]) -> String {
        "id,lon,lat,size,name\n"
            + rows.map { "\($0.id),\($0.lon),1,\($0.size),\($0.name)\n" }.joined()
    }

    /// A table with ids that come again, broken places, and sizes that are all numbers or not.
    static func rows(using random: inout SeededGenerator) -> [TableRow] {
        let hasWords = Int.random(in: 0..<3, using: &random) == 0
        return (0..<Int.random(in: 1...60, using: &random)).map { _ in
            let number = Int.random(in: 0..<40, using: &random)
            let size = Int.random(in: 0..<3, using: &random)
            return TableRow(
                id: number % 7 == 0 ? "a-rather-long-id-\(number)" : "k\(number)",
                lon: Int.random(in: 0..<9, using: &random) == 0
                    ? "nowhere" : "\(Int.random(in: -3...3, using: &random))",
                size: size == 0 ? "" : hasWords ? "s\(size)" : "\(size)",
                name: ["", "n1", "n2"][Int.random(in: 0..<3, using: &random)])
        }
    }
}
