/// The codes of Parse's errors that this service gives.
enum ParseCode: Int, Sendable {
    case internalError = 1
    case objectNotFound = 101
    case invalidQuery = 102
    case invalidFieldName = 105
    case invalidPointer = 106
    case invalidJSON = 107
    case commandUnavailable = 108
    case incorrectType = 111
    case operationForbidden = 119
    case invalidNestedKey = 121
    case invalidACL = 123
    case timeout = 124
    case duplicateValue = 137
    case requestLimitExceeded = 155
    case invalidSessionToken = 209
    /// A class or a field is there, or is not.
    case schemaRefused = 255

    /// The status that an error of this code is answered with.
    var status: HTTPStatus {
        switch self {
        case .internalError: .internalServerError
        case .objectNotFound: .notFound
        case .timeout: .serviceUnavailable
        case .invalidQuery, .invalidFieldName, .invalidPointer, .invalidJSON, .commandUnavailable,
            .incorrectType, .operationForbidden, .invalidNestedKey, .invalidACL,
            .duplicateValue, .requestLimitExceeded, .invalidSessionToken, .schemaRefused:
            .badRequest
        }
    }
}

/// A refusal with a code: `{"code": 101, "error": "Object not found."}`.
struct ParseError: Error, Equatable, Sendable {
    let code: ParseCode
    /// A sentence for the client, without secrets.
    let message: String

    init(_ code: ParseCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// There is no such object, or none that the caller may see or change: which, is not told.
    static let objectNotFound = ParseError(.objectNotFound, "Object not found.")
}

/// A refusal that has no code.
enum ParseRefusal: Error, Equatable, Sendable {
    /// The application id or the keys are missing or wrong, or the master key came from an address
    /// that may not use it. Which of them, is not told.
    case unauthorized
    /// The body is not JSON.
    case brokenBody(reason: String)
    /// No route has this path and method.
    case noRoute(method: String, path: String)
}
