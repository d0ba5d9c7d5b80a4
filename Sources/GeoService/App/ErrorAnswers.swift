import GeoImport
import GeoStore

/// Turns errors into answers outside `/parse`: the one place that knows both.
enum ErrorAnswers {
    /// The answer to an error; nil leaves it to the server (a ``Problem`` as it is, else a 500).
    static func response(to error: any Error, _ request: Request) -> Response? {
        if request.pathText.hasPrefix(ParsePath.mount + "/") {
            return ParseErrors.response(to: error)
        }
        if DirectionsService.owns(request.pathText) {
            return DirectionsError.response(to: error, path: request.pathText)
        }
        return switch error {
        case let error as StoreError: problem(error).response
        case let error as SchemaError: Problem(.badRequest, error.description).response
        case let error as RuleError: problem(error).response
        case let error as ImportError: Problem(.badRequest, error.description).response
        default: nil
        }
    }

    /// What rules that cannot be set mean to a client.
    private static func problem(_ error: RuleError) -> Problem {
        switch error {
        case .malformed(let faults):
            Problem(
                .badRequest, "the rules are not right: \(error)",
                errors: faults.map { Problem.Fault(field: $0.member, message: $0.message) })
        case .standing: Problem(.conflict, error.description)
        default: Problem(.badRequest, error.description)
        }
    }

    /// A 500 that says nothing of its cause, which goes to the log.
    private static func failure(_ error: any Error) -> Problem {
        Log.warning("a request failed: \(error)")
        return Problem(.internalServerError, "the service failed; its log says more")
    }

    /// What a failing store means to a client.
    static func problem(_ error: StoreError) -> Problem {
        switch error {
        case .busy:
            Problem(
                .serviceUnavailable, error.description, headers: [HeaderField("Retry-After", "1")])
        case .closed:
            Problem(.serviceUnavailable, "the service is stopping")
        case .objectExists, .keyTaken: Problem(.conflict, error.description)
        case .objectNotFound: Problem(.notFound, error.description)
        case .documentTooLarge, .valueTooLarge: Problem(.contentTooLarge, error.description)
        case .diskFull, .inputOutput, .outOfMemory, .timeout:
            Problem(.serviceUnavailable, error.description)
        case .directoryNotUsable, .locked, .notADatabase, .foreignDatabase, .newerVersion,
            .corrupt, .database:
            failure(error)
        }
    }
}
