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
        var json = JSONText()
        json.raw("{\"type\":\"about:blank\",\"title\":")
        json.string(status.title)
        json.raw(",\"status\":\(status.code),\"detail\":")
        json.string(detail)
        if let instance {
            json.raw(",\"instance\":")
            json.string(instance)
        }
        if !errors.isEmpty {
            json.raw(",\"errors\":[")
            for (index, fault) in errors.enumerated() {
                json.raw(index == 0 ? "{\"field\":" : ",{\"field\":")
                json.string(fault.field)
                json.raw(",\"message\":")
                json.string(fault.message)
                json.raw("}")
            }
            json.raw("]")
        }
        json.raw("}")
        var response = Response(status, .problem, json.bytes)
        response.headers = headers
        return response
    }
}

/// The little JSON that a problem needs.
private struct JSONText {
    private(set) var bytes: [UInt8] = []

    mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func string(_ text: String) {
        bytes.append(0x22)
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5c: bytes.append(contentsOf: [0x5c, byte])
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                raw("\\u00")
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(0x22)
    }
}
