import GeoIndex
import JSONText

@testable import GeoStore

extension QueryWorld {
    /// All that match, in order: every object is looked at, and compared as plainly as can be.
    func twin(_ query: ObjectQuery, _ caller: Principals) throws -> [Document] {
        var found: [Document] = []
        try store.read { reader in
            try reader.scan("T") { document in
                if let shown = QueryWorld.shown(document, caller),
                    try query.condition?.matches(shown) ?? true
                {
                    found.append(shown)
                }
                return true
            }
        }
        return found.sorted { left, right in
            if query.order.isEmpty, let near = query.condition?.near {
                let (a, b) = (QueryWorld.distance(left, near), QueryWorld.distance(right, near))
                if a != b { return a < b }
            }
            for key in query.order {
                let (a, b) = (QueryWorld.rank(left, key), QueryWorld.rank(right, key))
                if a != b {
                    let isLess =
                        a.0 != b.0
                        ? a.0 < b.0
                        : a.1 != b.1 ? a.1 < b.1 : a.2.utf8.lexicographicallyPrecedes(b.2.utf8)
                    return isLess != key.isDescending
                }
            }
            return left.objectId.utf8.lexicographicallyPrecedes(right.objectId.utf8)
        }
    }

    private static func distance(_ document: Document, _ near: Where.Near) -> Double {
        guard let place = document.location?.position else { return .infinity }
        return SphericalGeodesy.haversine(from: near.centre, to: RoundedPosition(place))
    }

    private static func rank(
        _ document: Document, _ order: ObjectOrder
    ) -> (Int, Double, String) {
        switch order.key {
        case .objectId: return (2, 0, document.objectId)
        case .createdAt: return (1, Double(document.createdAt.milliseconds), "")
        case .updatedAt: return (1, Double(document.updatedAt.milliseconds), "")
        case .field(let names):
            let value = names.reduce(JSONValue.object(document.fields)) { $0[$1] ?? .null }
            if let text = value.stringValue { return (2, 0, text) }
            return value.doubleValue.map { (1, $0, "") } ?? (0, 0, "")
        }
    }
}
