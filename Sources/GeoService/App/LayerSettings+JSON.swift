import GeoIndex
import GeoStore
import JSONText
import TileRender

extension LayerSettings {
    /// The longest texts, in bytes of UTF-8.
    static let titleLimitBytes = 256
    static let descriptionLimitBytes = 4_096
    static let attributionLimitBytes = 1_024

    /// These settings changed by the members of an object: what it does not name stays as it is,
    /// null is unset. `cluster` and `heat` are changed member by member in the same way,
    /// `aggregates` as a whole.
    ///
    /// - Parameters:
    ///   - schema: The layer's class; nil when there is none yet. A field that it does not have may
    ///     still come.
    ///   - areStored: Whether the members come from the store and not from a client.
    /// - Throws: ``Problem`` (400) with all that is wrong, each fault naming its member.
    func changed(
        by members: JSONObject, _ schema: ClassSchema?, areStored: Bool = false
    ) throws(Problem) -> LayerSettings {
        var settings = self
        let form = SettingsForm(members, areStored: areStored)
        form.text("title", &settings.title, limitBytes: Self.titleLimitBytes)
        form.text("description", &settings.description, limitBytes: Self.descriptionLimitBytes)
        form.text("attribution", &settings.attribution, limitBytes: Self.attributionLimitBytes)
        settings.fields.change(by: form, schema)
        form.object("cluster") {
            settings.clusterRadiusPixels = nil
        } _: { cluster in
            cluster.integer(
                "radius", &settings.clusterRadiusPixels, in: ClusterOptions.radiusRange,
                of: "pixels")
        }
        form.object("heat") {
            settings.heat = HeatSettings()
        } _: { heat in
            settings.heat.change(by: heat)
        }
        try form.finish()
        return settings
    }

    /// What is set, as a client sends it.
    var json: JSONObject {
        var members = JSONObject()
        members["title"] = title.map { .string($0) }
        members["description"] = description.map { .string($0) }
        members["attribution"] = attribution.map { .string($0) }
        for member in fields.json { members[member.key] = member.value }
        members["cluster"] = clusterRadiusPixels.map { ["radius": .integer(Int64($0))] }
        if heat != HeatSettings() { members["heat"] = .object(heat.json) }
        return members
    }

    /// What is set, with the radii that hold while none is.
    var effectiveJSON: JSONObject {
        var effective = self
        effective.clusterRadiusPixels = defaultClusterRadiusPixels
        effective.heat.radiusPixels = heat.effectiveRadiusPixels
        return effective.json
    }
}

extension LayerFields {
    /// How many aggregates a layer has at most, and of how many fields.
    static let aggregateLimit = 32
    static let aggregatedFieldLimit = 8

    fileprivate mutating func change(by form: SettingsForm, _ schema: ClassSchema?) {
        form.field("location", &location, "GeoPoint", schema) { $0 == .geoPoint }
        if let location, let own = schema?.geoPointField, own != location {
            form.refuse("location", "must be \(own), the class's only GeoPoint field, or null")
        }
        form.field("kind", &kind, "String", schema) { $0 == .string }
        form.field("weight", &weight, "Number", schema) { $0 == .number }
        form.field("time", &time, "Date", schema, also: ["createdAt", "updatedAt"]) { $0 == .date }
        form.field("expires", &expires, "Date", schema) { $0 == .date }
        form.field("owner", &owner, "Pointer<_User>", schema) { $0 == .pointer("_User") }
        changeAggregates(by: form, schema)
    }

    private mutating func changeAggregates(by form: SettingsForm, _ schema: ClassSchema?) {
        var places: [FieldAggregate: Int] = [:]
        let list = form.list(
            "aggregates", limit: Self.aggregateLimit,
            of: "{\"field\": name of a Number field, \"op\": \(FieldAggregate.operationNames)}"
        ) { index, element -> FieldAggregate? in
            guard let aggregate = FieldAggregate(element, schema) else { return nil }
            if let first = places[aggregate] {
                form.refuse(
                    "aggregates[\(index)]",
                    "is the same as aggregates[\(first)]: \(aggregate.name)")
                return nil
            }
            places[aggregate] = index
            return aggregate
        }
        guard let list else { return }
        aggregates = list
        let fields = aggregatedFields
        if fields.count > Self.aggregatedFieldLimit {
            form.refuse(
                "aggregates",
                "names \(fields.count) fields; at most \(Self.aggregatedFieldLimit) are taken")
        }
    }

    fileprivate var json: JSONObject {
        var members = JSONObject()
        let names = [
            ("location", location), ("kind", kind), ("weight", weight), ("time", time),
            ("expires", expires), ("owner", owner),
        ]
        for (name, field) in names { members[name] = field.map { .string($0) } }
        if !aggregates.isEmpty {
            members["aggregates"] = .array(
                aggregates.map {
                    ["field": .string($0.field), "op": .string($0.operation.rawValue)]
                })
        }
        return members
    }
}

extension FieldAggregate {
    fileprivate static var operationNames: String {
        Operation.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: "|")
    }

    /// `{"field": …, "op": …}`; nil when it is something else, which is noted.
    fileprivate init?(_ form: SettingsForm, _ schema: ClassSchema?) {
        var found: FieldType?
        let field = form.required(
            "field",
            "must be the name of a Number field" + (found.map { "; that field is a \($0)" } ?? "")
        ) { value -> String? in
            guard let field = value.stringValue, Naming.isIdentifier(field) else { return nil }
            found = schema?.fields[field]
            return found.map { $0 == .number } ?? true ? field : nil
        }
        let operation = form.required("op", "must be one of \(Self.operationNames)") {
            $0.stringValue.flatMap { Operation(rawValue: $0) }
        }
        guard let field, let operation else { return nil }
        self.init(field: field, operation: operation)
    }
}

extension HeatSettings {
    /// The owners that may be asked for.
    private static let minOwnersRange = 1...HeatOptions.mostOwners
    /// Fewer owners would not hide anybody.
    static let leastPublicOwners = 3
    private static let zooms = Int(TileID.maxZoom) + 1

    fileprivate mutating func change(by form: SettingsForm) {
        form.update(
            "halfLife", &halfLifeMinutes,
            "must be a span of whole minutes, such as \"90m\", \"24h\" or \"7d\", or null"
        ) { value in
            value.stringValue.flatMap { RelativeTime.minutes($0) }.flatMap {
                TimeDecay.halfLivesMinutes.contains(Int64($0)) ? $0 : nil
            }
        }
        form.integer("radius", &radiusPixels, in: HeatLayer.radiiPixels, of: "pixels")
        form.update(
            "domain", &domains,
            "must be a number from 2^-20 to 2^40, or a list of \(Self.zooms) of them, one for each "
                + "zoom, or null"
        ) { value in
            let domains =
                value.arrayValue?.compactMap(\.doubleValue)
                ?? value.doubleValue.map { Array(repeating: $0, count: Self.zooms) } ?? []
            let isRight =
                domains.count == Self.zooms
                && domains.count == value.arrayValue?.count ?? Self.zooms
                && domains.allSatisfy { HeatLayer.domains.contains($0) }
            return isRight ? domains : nil
        }
        form.integer("minOwners", &minOwners, in: Self.minOwnersRange, of: "owners")
        var isPublic: Bool? = isPublic
        form.update("public", &isPublic, "must be true or false") { $0.boolValue }
        self.isPublic = isPublic ?? false
        if self.isPublic, minOwners ?? 0 < Self.leastPublicOwners {
            form.refuse(
                "public", "needs minOwners of \(Self.leastPublicOwners) or more, in the same heat")
        }
    }

    fileprivate var json: JSONObject {
        var members = JSONObject()
        members["halfLife"] = halfLifeMinutes.map { .string(RelativeTime.text(ofMinutes: $0)) }
        members["radius"] = radiusPixels.map { .integer(Int64($0)) }
        if let domains {
            let isOne = domains.allSatisfy { $0 == domains[0] }
            members["domain"] =
                isOne ? .number(domains[0]) : .array(domains.map { .number($0) })
        }
        members["minOwners"] = minOwners.map { .integer(Int64($0)) }
        if isPublic { members["public"] = true }
        return members
    }
}

extension SettingsForm {
    /// Sets `setting` to the name of a field of a type, or to one of the names of `also`.
    fileprivate func field(
        _ name: String, _ setting: inout String?, _ typeName: String, _ schema: ClassSchema?,
        also: Set<String> = [], isRight: (FieldType) -> Bool
    ) {
        var found: FieldType?
        update(
            name, &setting,
            "must be the name of a \(typeName) field\(also.isEmpty ? "" : " or one of \(also.sorted().joined(separator: ", "))"), or null"
                + (found.map { "; that field is a \($0)" } ?? "")
        ) { value in
            guard let field = value.stringValue else { return nil }
            if also.contains(field) { return field }
            guard Naming.isIdentifier(field), !Naming.reservedFields.contains(field) else {
                return nil
            }
            found = schema?.fields[field]
            return found.map(isRight) ?? true ? field : nil
        }
    }
}
