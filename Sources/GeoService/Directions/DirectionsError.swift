import JSONText

/// Why a question for directions has no answer, in OSRM's form: `{"code": …, "message": …}`.
struct DirectionsError: Error, Equatable {
    /// OSRM's codes, as far as this service has them.
    enum Code: String {
        case invalidUrl = "InvalidUrl"
        case invalidVersion = "InvalidVersion"
        case invalidOptions = "InvalidOptions"
        case invalidQuery = "InvalidQuery"
        case invalidValue = "InvalidValue"
        case tooBig = "TooBig"
        case notImplemented = "NotImplemented"
        /// Not one of OSRM's: the service itself could not answer.
        case failed = "InternalError"
    }

    let code: Code
    /// A sentence that names the part at fault and says what would be right.
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// A parameter whose value is not right.
    static func parameter(_ name: String, _ whatIsRight: String) -> DirectionsError {
        DirectionsError(.invalidOptions, "\(name) \(whatIsRight)")
    }

    var response: Response { DirectionsError.response(.badRequest, code.rawValue, message) }

    /// Any error under one of the paths of directions, as OSRM would say it.
    static func response(to error: any Error, path: String) -> Response? {
        if let error = error as? DirectionsError { return error.response }
        guard let problem = error as? Problem else { return nil }
        if problem.status == .notFound { return noAddress(path) }
        let code: Code =
            switch problem.status {
            case .badRequest: .invalidQuery
            case .methodNotAllowed: .invalidUrl
            default: .failed
            }
        var response = response(problem.status, code.rawValue, problem.detail)
        response.headers = problem.headers
        return response
    }

    private static func noAddress(_ path: String) -> Response {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let isOtherVersion = parts.count == 5 && parts[2] != "v1"
        let code: Code = isOtherVersion ? .invalidVersion : .invalidUrl
        let message =
            isOtherVersion
            ? "the version in the path must be v1"
            : "the path must be that of a service, such as /route/v1/foot/13.4,52.5;13.5,52.6"
        return response(.notFound, code.rawValue, message)
    }

    static func response(
        _ status: HTTPStatus, _ code: String, _ message: String
    ) -> Response {
        Response(
            status, .json,
            JSONWriter.encode(["code": .string(code), "message": .string(message)]))
    }
}
