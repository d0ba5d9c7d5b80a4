import GeoIndex
import GeoStore
import JSONText

/// Turns errors into Parse's answers: the one place that knows both.
enum ParseErrors {
    /// What a client is told of an error.
    struct Report: Equatable, Sendable {
        var status: HTTPStatus
        var code: Int?
        var message: String
        /// For how many seconds to wait, when trying again may help.
        var retryAfterSeconds: Int?

        init(_ status: HTTPStatus, code: Int?, _ message: String, retryAfterSeconds: Int? = nil) {
            self.status = status
            self.code = code
            self.message = message
            self.retryAfterSeconds = retryAfterSeconds
        }

        init(_ code: ParseCode, _ message: String) {
            self.init(code.status, code: code.rawValue, message)
        }

        /// `{"code": n, "error": text}`.
        var json: JSONValue {
            var members = JSONObject()
            if let code { members["code"] = .integer(Int64(code)) }
            members["error"] = .string(message)
            return .object(members)
        }
    }

    /// The answer to an error.
    static func response(to error: any Error) -> Response {
        let report = report(of: error)
        var response = Response(report.status, .parse, JSONWriter.encode(report.json))
        response.cacheControl = "no-store"
        if let seconds = report.retryAfterSeconds {
            response.headers.append(HeaderField("Retry-After", String(seconds)))
        }
        if let problem = error as? Problem { response.headers += problem.headers }
        return response
    }

    /// What a client is told of an error. An unknown one is noted for the operator.
    static func report(of error: any Error) -> Report {
        switch error {
        case let error as ParseError: return Report(error.code, error.message)
        case let error as ParseRefusal: return report(of: error)
        case let error as RateLimitError: return report(of: error)
        case StoreError.keyTaken(let key, _): return report(taken: key)
        case let error as StoreError: return report(of: error)
        case let error as WhereError: return report(of: error)
        case let error as SchemaError: return report(of: error)
        case let error as RuleError: return report(of: error)
        case let error as JSONError: return Report(.invalidJSON, error.description)
        case let error as FileError: return report(of: error)
        case let error as Problem: return Report(error.status, code: nil, error.detail)
        default:
            Log.warning("a Parse request failed: \(error)")
            return Report(.internalError, "Internal server error.")
        }
    }

    private static func report(of error: ParseRefusal) -> Report {
        switch error {
        case .unauthorized: Report(.forbidden, code: nil, "unauthorized")
        case .brokenBody(let reason): Report(.badRequest, code: nil, reason)
        case .noRoute(let method, let path):
            Report(
                .notFound, code: ParseCode.invalidJSON.rawValue, "cannot route \(method) \(path)")
        }
    }

    private static func report(of error: StoreError) -> Report {
        switch error {
        case .busy:
            Report(
                .serviceUnavailable, code: ParseCode.internalError.rawValue, error.description,
                retryAfterSeconds: 1)
        case .closed:
            Report(
                .serviceUnavailable, code: ParseCode.internalError.rawValue,
                "the service is stopping", retryAfterSeconds: 1)
        case .timeout: Report(.timeout, error.description)
        case .objectNotFound: Report(.objectNotFound, ParseError.objectNotFound.message)
        case .documentTooLarge, .valueTooLarge:
            Report(.requestLimitExceeded, error.description)
        case .keyTaken: Report(.duplicateValue, error.description)
        case .diskFull, .inputOutput, .outOfMemory:
            Report(
                .serviceUnavailable, code: ParseCode.internalError.rawValue, error.description)
        case .objectExists, .directoryNotUsable, .locked, .notADatabase, .foreignDatabase,
            .newerVersion, .corrupt, .database:
            Report(.internalError, "Internal server error.")
        }
    }

    private static func report(of error: WhereError) -> Report {
        let code: ParseCode =
            switch error.kind {
            case .malformed, .unsupported: .invalidQuery
            case .operand: .invalidJSON
            case .fieldName: .invalidFieldName
            case .forbidden: .operationForbidden
            case .tooCostly: .requestLimitExceeded
            }
        return Report(code, error.description)
    }

    private static func report(of error: RateLimitError) -> Report {
        Report(
            .tooManyRequests, code: ParseCode.tooManyRequests,
            "Too many requests, please try again later.",
            retryAfterSeconds: error.retryAfterSeconds)
    }

    /// What a client is told of a key that another object has.
    private static func report(taken key: UniqueKey) -> Report {
        switch key.scope {
        case AccountNames.usernameScope:
            Report(.usernameTaken, "Account already exists for this username.")
        case AccountNames.emailScope:
            Report(.emailTaken, "Account already exists for this email address.")
        case AccountNames.authScope:
            report(of: ParseError.accountAlreadyLinked)
        default:
            Report(
                .duplicateValue,
                "A duplicate value for a field with unique values was provided")
        }
    }

    private static func report(of error: SchemaError) -> Report {
        let code: ParseCode =
            switch error {
            // Parse's server has 107 for an impossible class in a save, not 103.
            case .invalidClassName: .invalidJSON
            case .invalidFieldName, .reservedFieldName, .invalidObjectId: .invalidFieldName
            case .typeMismatch, .secondGeoPoint: .incorrectType
            case .invalidValue(_, _, let reason): self.code(of: reason)
            case .invalidAccessList: .invalidACL
            case .tooManyClasses, .tooManyFields: .requestLimitExceeded
            case .unknownClass, .unknownField, .classNotEmpty: .schemaRefused
            case .notARelation: .incorrectType
            case .fieldBeingRemoved: .requestLimitExceeded
            }
        return Report(code, error.description)
    }

    private static func report(of error: RuleError) -> Report {
        let code: ParseCode =
            switch error {
            case .duplicate: .duplicateValue
            case .valuesTooLong, .audienceTooLarge: .requestLimitExceeded
            case .notWhole, .unknownAudience, .standing: .validationError
            case .counterTooLarge: .incorrectType
            case .madeByRules: .operationForbidden
            case .fieldInUse: .schemaRefused
            case .malformed: .invalidJSON
            }
        return Report(code, error.description)
    }

    private static func code(of error: FieldValueError) -> ParseCode {
        switch error {
        case .unknownType, .geoPointShape, .coordinate, .notFinite, .locationAccuracy:
            .incorrectType
        case .shape(let type): type == "Pointer" ? .invalidPointer : .incorrectType
        case .operation: .commandUnavailable
        case .nestedKey: .invalidNestedKey
        }
    }
}

extension MediaType {
    /// What every answer under `/parse` is.
    static let parse = MediaType("application/json; charset=utf-8", isCompressible: true)
}
