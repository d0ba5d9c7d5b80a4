package import JSONText

/// A class: its fields and their types.
package struct ClassSchema: Hashable, Sendable {
    /// The class's name.
    package let name: String
    /// The number under which the store keeps it.
    let number: Int64
    /// The type of each field.
    package private(set) var fields: [String: FieldType] = [:]
    /// The field that is a GeoPoint; a class with one is a layer.
    package private(set) var geoPointField: String?
    /// Fields whose values are being taken from the objects: among ``fields`` until that is done.
    package private(set) var removedFields: Set<String> = []
    /// Whether an object of the class was ever shown to everybody at its place.
    package internal(set) var hasShownPlaces = false
    /// What the service keeps about the class, permissions for one; the store does not read it.
    package internal(set) var settings: JSONObject? {
        get { keptSettings?.json }
        set { keptSettings = newValue.map { ClassSettings($0) } }
    }
    /// The settings, the same instance until they are set anew.
    package private(set) var keptSettings: ClassSettings?

    /// A class without fields.
    init(name: String, number: Int64) {
        self.name = name
        self.number = number
    }

    /// Adds a field. A class has one GeoPoint at most; the caller has checked.
    mutating func add(_ field: String, _ type: FieldType) {
        fields[field] = type
        if type == .geoPoint { geoPointField = field }
    }

    /// Begins to remove a field.
    mutating func beginRemoval(of field: String) {
        removedFields.insert(field)
    }

    /// Removes a field that no object has any more.
    mutating func remove(_ field: String) {
        fields[field] = nil
        removedFields.remove(field)
        if geoPointField == field { geoPointField = nil }
    }
}

/// All classes of a store at one instant.
package struct SchemaCatalog: Hashable, Sendable {
    /// The classes by name.
    package private(set) var classes: [String: ClassSchema] = [:]
    /// What the classes' rules ask of writes; nil while there are none.
    package private(set) var rules: RuleBook?
    /// The most classes and the most fields of one class.
    let limits: Limits

    /// Bounds on what clients can make.
    struct Limits: Hashable, Sendable {
        var classes: Int
        var fieldsPerClass: Int
    }

    /// A field that a document brings into its class.
    struct NewField: Hashable {
        let name: String
        let type: FieldType
    }

    init(limits: Limits) {
        self.limits = limits
    }

    /// The class of that name.
    package subscript(name: String) -> ClassSchema? { classes[name] }

    mutating func add(_ schema: ClassSchema) {
        let former = classes.updateValue(schema, forKey: schema.name)
        if former?.keptSettings !== schema.keptSettings { rules = RuleBook(classes) }
    }

    mutating func remove(_ className: String) {
        let former = classes.removeValue(forKey: className)
        if former?.keptSettings != nil { rules = RuleBook(classes) }
    }

    mutating func add(_ fields: [NewField], to className: String) {
        for field in fields { classes[className]?.add(field.name, field.type) }
    }

    /// Judges a document and gives the fields that are new to its class, in its order.
    ///
    /// - Throws: ``SchemaError``; the catalog is not changed by this at all.
    /// - Complexity: O(size of the fields).
    func newFields(of document: Document) throws(SchemaError) -> [NewField] {
        let className = document.className
        try check(className)
        guard ObjectID.isValid(document.objectId) else {
            throw .invalidObjectId(document.objectId)
        }
        let schema = classes[className]
        var geoPoint = schema?.geoPointField
        var new: [NewField] = []
        for member in document.fields {
            let type = try checkedType(of: member, in: className)
            if let schema, let known = schema.fields[member.key] {
                guard !schema.removedFields.contains(member.key) else {
                    throw .fieldBeingRemoved(className: className, field: member.key)
                }
                guard let type, type != known else { continue }
                throw .typeMismatch(
                    className: className, field: member.key, expected: known, got: type)
            }
            guard !Naming.reservedFields.contains(member.key) else {
                throw .reservedFieldName(className: className, field: member.key)
            }
            guard let type else { continue }
            if type == .geoPoint {
                if let geoPoint {
                    throw .secondGeoPoint(
                        className: className, field: member.key, first: geoPoint)
                }
                geoPoint = member.key
            }
            new.append(NewField(name: member.key, type: type))
        }
        guard (schema?.fields.count ?? 0) + new.count <= limits.fieldsPerClass || new.isEmpty else {
            throw .tooManyFields(className: className, limit: limits.fieldsPerClass)
        }
        return new
    }

    /// Judges a class that is there or is to be added.
    ///
    /// - Throws: ``SchemaError/invalidClassName(_:)``, ``SchemaError/tooManyClasses(limit:)``.
    func check(_ className: String) throws(SchemaError) {
        guard classes[className] == nil else { return }
        guard Naming.isClassName(className) else { throw .invalidClassName(className) }
        guard classes.count < limits.classes else {
            throw .tooManyClasses(limit: limits.classes)
        }
    }

    /// Judges a field that is to be added without a value; false when the class has it already.
    ///
    /// - Throws: ``SchemaError``.
    func isNew(
        _ field: String, _ type: FieldType, of className: String
    ) throws(SchemaError) -> Bool {
        try check(className)
        guard Naming.isIdentifier(field) else {
            throw .invalidFieldName(className: className, field: field)
        }
        guard !Naming.reservedFields.contains(field) else {
            throw .reservedFieldName(className: className, field: field)
        }
        let schema = classes[className]
        if schema?.removedFields.contains(field) == true {
            throw .fieldBeingRemoved(className: className, field: field)
        }
        if let known = schema?.fields[field] {
            guard known == type else {
                throw .typeMismatch(className: className, field: field, expected: known, got: type)
            }
            return false
        }
        if type == .geoPoint, let first = schema?.geoPointField {
            throw .secondGeoPoint(className: className, field: field, first: first)
        }
        guard schema?.fields.count ?? 0 < limits.fieldsPerClass else {
            throw .tooManyFields(className: className, limit: limits.fieldsPerClass)
        }
        return true
    }

    private func checkedType(
        of member: JSONObject.Member, in className: String
    ) throws(SchemaError) -> FieldType? {
        // Checked for known fields, too: strings that normalise alike find one another in a
        // dictionary, but only ASCII is a name.
        guard Naming.isIdentifier(member.key) else {
            throw .invalidFieldName(className: className, field: member.key)
        }
        do {
            return try FieldType.of(member.value)
        } catch {
            throw .invalidValue(className: className, field: member.key, error)
        }
    }
}
