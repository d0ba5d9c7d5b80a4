import GeoIndex
import GeoStore
import TileRender

/// What an operator has said about a layer. All of it unset is the layer as it comes into being.
struct LayerSettings: Hashable, Sendable {
    /// What people call it.
    var title: String?
    /// What it is, in some sentences.
    var description: String?
    /// Whose data it is, as maps print it.
    var attribution: String?
    /// What the index is told of an object.
    var fields = LayerFields()
    /// The radius of clusters unless a request names another, in pixels of the 256 px tile grid.
    var clusterRadiusPixels: Int?
    /// How density is shown.
    var heat = HeatSettings()

    /// Nothing is said.
    static let none = LayerSettings()

    /// The settings of a layer of which nothing is said.
    static func initial(of name: String) -> LayerSettings {
        var settings = none
        settings.fields.areUsers = name == AccountNames.user
        return settings
    }

    /// The radius of clusters unless a request names another.
    var defaultClusterRadiusPixels: Int {
        clusterRadiusPixels ?? ClusterOptions.defaultRadiusPixels
    }
}

/// Which fields of its objects a layer's index is told of; changing one builds the index anew.
struct LayerFields: Hashable, Sendable {
    /// The GeoPoint field; nil is the class's only one.
    var location: String?
    /// A String field; nil is `kind`, else `category`.
    var kind: String?
    /// A Number field; nil is `weight`. An object without it weighs 1.
    var weight: String?
    /// A Date field, or `createdAt` or `updatedAt`; nil is `createdAt`, which stands in for a field
    /// that an object has not.
    var time: String?
    /// A Date field; nil is `expiresAt`.
    var expires: String?
    /// A Pointer to a user; nil is `author`, else `owner`.
    var owner: String?
    /// What clusters sum up.
    var aggregates: [FieldAggregate] = []
    /// Whether the objects are users: each is his own owner, and shown to others no finer than
    /// ``usersAccuracy``. Not of an operator's choosing.
    var areUsers = false

    /// How finely the places of users are shown at best: to a kilometre.
    private static let usersAccuracy = LocationAccuracy(meters: 1_000)

    /// How finely places are shown at best, whatever objects say; nil asks nothing.
    var leastAccuracy: LocationAccuracy? { areUsers ? LayerFields.usersAccuracy : nil }

    /// The aggregated fields in the order in which ``Placement/values`` has them.
    var aggregatedFields: [String] {
        var fields: [String] = []
        for aggregate in aggregates where !fields.contains(aggregate.field) {
            fields.append(aggregate.field)
        }
        return fields
    }
}

/// One property that clusters have of a field's values: `{field}_{op}`.
struct FieldAggregate: Hashable, Sendable {
    /// How values are put together.
    enum Operation: String, CaseIterable, Sendable {
        case sum, min, max, mean
    }

    /// A Number field.
    var field: String
    var operation: Operation

    /// The name of the property.
    var name: String { "\(field)_\(operation.rawValue)" }
}

/// How a layer's density is shown.
struct HeatSettings: Hashable, Sendable {
    /// After how many minutes an object counts half; nil is for ever in full.
    var halfLifeMinutes: Int?
    /// The radius of the kernel at scale 1, in pixels.
    var radiusPixels: Int?
    /// The density at the top of the colour scale for each zoom, in objects of weight 1 on one
    /// pixel at scale 1; nil is fitted to the layer.
    var domains: [Double]?
    /// Only cells with this many distinct owners are shown; nil is all.
    var minOwners: Int?
    /// Whether heat and hotspots are shown of a class that the public may not find: what
    /// ``ProtectedHeat`` is.
    var isPublic = false

    /// The radius of the kernel at scale 1.
    var effectiveRadiusPixels: Int { radiusPixels ?? HeatLayer.defaultRadiusPixels }
}
