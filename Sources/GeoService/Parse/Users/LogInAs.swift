import GeoStore
import JSONText

/// `POST /loginAs`: a session of any user, for the master key.
enum LogInAs {
    /// - Throws: ``ParseError``: 119 without the master key, 142 without a user.
    static func operation(
        _ parameters: JSONObject, _ caller: ParseCaller
    ) throws(ParseError) -> ParseOperation {
        guard caller.identity.isMaster else {
            throw ParseError(.operationForbidden, "master key is required")
        }
        guard let userId = parameters["userId"]?.stringValue, ObjectID.isValid(userId) else {
            throw ParseError(
                .validationError, "userId must not be empty, null, or undefined")
        }
        return .write(
            StartSession(
                userId: userId, origin: SessionOrigin(action: "login", provider: "masterkey"),
                caller: caller, notFound: ParseError(.objectNotFound, "user not found")))
    }
}
