import GeoStore
import JSONText

/// `DELETE /classes/C/id`.
struct DeleteObject: WriteOperation {
    private let className: String
    private let objectId: String
    private let caller: ParseCaller

    /// - Throws: As ``ClassAccess/check(_:_:)``.
    init(_ className: String, _ objectId: String, _ caller: ParseCaller) throws {
        try ClassAccess.check(className, for: .delete, caller)
        self.className = className
        self.objectId = objectId
        self.caller = caller
    }

    func run(in transaction: inout WriteTransaction) throws -> ParseAnswer {
        guard
            try transaction.object(className, objectId).flatMap({
                caller.view.writable($0, for: .delete)
            }) != nil
        else { throw ParseError.objectNotFound }
        try transaction.delete(className, objectId)
        return ParseAnswer([:])
    }
}
