/// The codes of Parse's errors that this service gives.
enum ParseCode: Int, Sendable {
    case otherCause = -1
    case internalError = 1
    case objectNotFound = 101
    case invalidQuery = 102
    case invalidClassName = 103
    case invalidFieldName = 105
    case invalidPointer = 106
    case invalidJSON = 107
    case commandUnavailable = 108
    case incorrectType = 111
    case operationForbidden = 119
    case invalidNestedKey = 121
    case invalidFileName = 122
    case invalidACL = 123
    case timeout = 124
    case invalidEmailAddress = 125
    /// A file is empty, of a kind that is not taken, or cannot be kept.
    case fileSave = 130
    case duplicateValue = 137
    case invalidRoleName = 139
    /// A device token leads to an installation of another device.
    case ambiguousDevice = 132
    case missingRequiredField = 135
    /// A field cannot be added, or not be changed.
    case unchangeable = 136
    case validationError = 142
    case requestLimitExceeded = 155
    case fileDelete = 153
    case duplicateRequest = 159
    case usernameMissing = 200
    case passwordMissing = 201
    case usernameTaken = 202
    case emailTaken = 203
    case emailMissing = 204
    case emailNotFound = 205
    case sessionMissing = 206
    case accountAlreadyLinked = 208
    case invalidSessionToken = 209
    case unsupportedService = 252
    /// A class or a field is there, or is not.
    case schemaRefused = 255

    /// The code of 429, which has a status of its own whatever else has the code.
    static let tooManyRequests = 100

    /// The status that an error of this code is answered with.
    var status: HTTPStatus {
        switch self {
        case .internalError: .internalServerError
        case .objectNotFound: .notFound
        case .timeout: .serviceUnavailable
        case .invalidQuery, .invalidFieldName, .invalidPointer, .invalidJSON, .commandUnavailable,
            .incorrectType, .operationForbidden, .invalidNestedKey, .invalidACL, .invalidFileName,
            .fileSave, .fileDelete,
            .duplicateValue, .requestLimitExceeded, .invalidSessionToken, .schemaRefused,
            .otherCause, .invalidClassName, .ambiguousDevice, .missingRequiredField, .unchangeable,
            .duplicateRequest, .invalidEmailAddress, .invalidRoleName, .validationError,
            .usernameMissing, .passwordMissing, .usernameTaken, .emailTaken, .emailMissing,
            .emailNotFound, .sessionMissing, .accountAlreadyLinked, .unsupportedService:
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
