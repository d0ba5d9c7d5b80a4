import JSONText

/// An answer that says what is wrong: RFC 9457 `application/problem+json`.
///
/// Handlers throw it; the server throws it for what it refuses itself.
///
///     throw Problem(.badRequest, "radius must be a number of metres above 0")
package struct Problem: Error, Sendable {
    /// One parameter or field that is at fault.
    package struct Fault: Equatable, Sendable {
        /// The name of the parameter or field.
        package let field: String
        /// What would be right.
        package let message: String

        /// Names a fault.
        package init(field: String, message: String) {
            self.field = field
            self.message = message
        }
    }

    /// The status of the answer.
    package var status: HTTPStatus
    /// A sentence for this occurrence.
    package var detail: String
    /// The parameters at fault.
    package var errors: [Fault]
    /// A URI reference of this occurrence.
    package var instance: String?
    /// Further header fields, such as `Allow` or `Retry-After`.
    package var headers: [HeaderField]

    /// Creates a problem.
    package init(
        _ status: HTTPStatus, _ detail: String, errors: [Fault] = [], instance: String? = nil,
        headers: [HeaderField] = []
    ) {
        self.status = status
        self.detail = detail
        self.errors = errors
        self.instance = instance
        self.headers = headers
    }

    /// A 400 that names one parameter: "`radius` must be …".
    package static func parameter(_ name: String, _ message: String) -> Problem {
        Problem(
            .badRequest, "\(name) \(message)", errors: [Fault(field: name, message: message)])
    }

    /// The problem as an answer.
    package var response: Response {
        var json = JSONWriter()
        json.beginObject()
        json.key("type")
        json.string("about:blank")
        json.key("title")
        json.string(status.title)
        json.key("status")
        json.integer(Int64(status.code))
        json.key("detail")
        json.string(detail)
        if let instance {
            json.key("instance")
            json.string(instance)
        }
        if !errors.isEmpty {
            json.key("errors")
            json.beginArray()
            for fault in errors {
                json.beginObject()
                json.key("field")
                json.string(fault.field)
                json.key("message")
                json.string(fault.message)
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
        var response = Response(status, .problem, json.bytes)
        response.headers = headers
        return response
    }
}
