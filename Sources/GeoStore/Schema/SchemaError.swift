/// Why a class does not take a document.
package enum SchemaError: Error, Equatable, Sendable {
    /// The name is no identifier and no system class.
    case invalidClassName(String)
    /// The name is no identifier.
    case invalidFieldName(className: String, field: String)
    /// The name belongs to every object and cannot be a field.
    case reservedFieldName(className: String, field: String)
    /// The id is not 1 to 64 characters of `[A-Za-z0-9_-]`.
    case invalidObjectId(String)
    /// The field has another type in this class.
    case typeMismatch(className: String, field: String, expected: FieldType, got: FieldType)
    /// The class has a GeoPoint field already; it can have one.
    case secondGeoPoint(className: String, field: String, first: String)
    /// The value is none that a field may have.
    case invalidValue(className: String, field: String, FieldValueError)
    /// An access list is not in the form of the wire.
    case invalidAccessList(reason: String)
    /// There are as many classes as the store takes.
    case tooManyClasses(limit: Int)
    /// The class has as many fields as the store takes.
    case tooManyFields(className: String, limit: Int)
    /// There is no such class.
    case unknownClass(String)
    /// The class has no such field.
    case unknownField(className: String, field: String)
    /// The field is no relation.
    case notARelation(className: String, field: String)
    /// The field is being removed: it takes no values until that is done.
    case fieldBeingRemoved(className: String, field: String)
    /// The class has objects, so that it cannot be deleted.
    case classNotEmpty(String)
}

extension SchemaError: CustomStringConvertible {
    /// A sentence for the client.
    package var description: String {
        switch self {
        case .invalidClassName(let name):
            "invalid class name \(name): it must begin with a letter and have letters, digits and "
                + "underscores only"
        case .invalidFieldName(let className, let field):
            "invalid field name \(className).\(field): it must begin with a letter and have letters, "
                + "digits and underscores only"
        case .reservedFieldName(let className, let field):
            "\(field) cannot be a field of \(className): every object has that name already"
        case .invalidObjectId(let id):
            "invalid objectId \(id): it must have 1 to 64 letters, digits, underscores and hyphens"
        case .typeMismatch(let className, let field, let expected, let got):
            "schema mismatch for \(className).\(field); expected \(expected) but got \(got)"
        case .secondGeoPoint(let className, let field, let first):
            "\(className).\(field) cannot be a GeoPoint: the class has one already, \(first)"
        case .invalidValue(let className, let field, let error):
            "\(className).\(field) \(error)"
        case .invalidAccessList(let reason): "invalid ACL: \(reason)"
        case .tooManyClasses(let limit): "there are \(limit) classes already, the most allowed"
        case .tooManyFields(let className, let limit):
            "\(className) has \(limit) fields already, the most allowed"
        case .unknownClass(let name): "there is no class \(name)"
        case .unknownField(let className, let field): "\(className) has no field \(field)"
        case .notARelation(let className, let field): "\(className).\(field) is no relation"
        case .fieldBeingRemoved(let className, let field):
            "\(className).\(field) is being removed: try again when that is done"
        case .classNotEmpty(let name):
            "\(name) has objects: delete them before the class"
        }
    }
}
