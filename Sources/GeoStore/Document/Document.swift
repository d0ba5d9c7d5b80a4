package import GeoIndex
package import JSONText

/// One object of a class.
package struct Document: Hashable, Sendable {
    /// The class that it belongs to.
    package var className: String
    /// Its id, unique within the class.
    package var objectId: String
    /// When it came into being.
    package var createdAt: Timestamp
    /// When it was last changed.
    package var updatedAt: Timestamp
    /// Who may read and write it; nil is everybody, the empty list is the master key only.
    package var acl: AccessList?
    /// Its fields as they were sent, typed ones in Parse's encoding
    /// (`{"__type": "GeoPoint", "latitude": 52.5, "longitude": 13.4}`). The five properties above
    /// are not among them.
    package var fields: JSONObject

    /// Creates a document; whether its class takes the fields is judged when it is written.
    ///
    /// - Parameter updatedAt: When nil, the same as `createdAt`.
    package init(
        className: String, objectId: String, createdAt: Timestamp, updatedAt: Timestamp? = nil,
        acl: AccessList? = nil, fields: JSONObject
    ) {
        self.className = className
        self.objectId = objectId
        self.createdAt = createdAt
        self.updatedAt = updatedAt ?? createdAt
        self.acl = acl
        self.fields = fields
    }

    /// The field that is a GeoPoint, and its position; nil when there is none. O(fields).
    package var location: (field: String, position: LonLat)? {
        for member in fields {
            if let position = try? GeoPointField.position(of: member.value) {
                return (member.key, position)
            }
        }
        return nil
    }

    /// True when everybody may read it.
    package var isPublic: Bool { acl?.publicCanRead ?? true }
}

/// Parse's form of a position: latitude first. It is turned round here and nowhere else.
package enum GeoPointField {
    /// The position, or nil when the value is no GeoPoint at all.
    ///
    /// - Throws: ``FieldValueError`` when it is a GeoPoint that is not on the globe or incomplete.
    package static func position(of value: JSONValue) throws(FieldValueError) -> LonLat? {
        guard let members = value.objectValue, members["__type"] == "GeoPoint" else { return nil }
        return try position(ofPoint: members)
    }

    /// The position of members whose `__type` is `GeoPoint`.
    ///
    /// - Throws: ``FieldValueError`` when it is not on the globe or incomplete.
    static func position(ofPoint members: JSONObject) throws(FieldValueError) -> LonLat {
        guard members.count == 3, let lat = members["latitude"]?.doubleValue,
            let lon = members["longitude"]?.doubleValue
        else { throw .geoPointShape }
        do {
            return try LonLat(lon: lon, lat: lat)
        } catch {
            throw .coordinate(error)
        }
    }

    /// The form of a position on the wire.
    package static func json(_ position: LonLat) -> JSONValue {
        var members = JSONObject()
        members.reserveCapacity(3)
        members.append(new: "__type", "GeoPoint")
        members.append(new: "latitude", .number(position.lat))
        members.append(new: "longitude", .number(position.lon))
        return .object(members)
    }
}
