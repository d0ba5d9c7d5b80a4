import GeoIndex
import JSONText

/// Hands calls to OSRM: the same path and query.
struct OSRMRouter {
    let connection: RouterConnection

    /// Codes that say that the router is not what its address promises.
    private static let misplaced = ["InvalidUrl", "InvalidService", "InvalidVersion"]

    /// Blocks.
    ///
    /// - Throws: ``HTTPCallError`` when the router did not answer as one.
    func outcome(of call: DirectionsCall) throws(HTTPCallError) -> RoutingServer.Outcome {
        let answer = try connection.ask(
            OSRMRouter.target(of: call), profile: call.profile.rawValue)
        guard let object = answer.json.objectValue, let code = object["code"]?.stringValue,
            !OSRMRouter.misplaced.contains(code)
        else { throw HTTPCallError(description: "the router's answer is none of OSRM's") }
        if answer.status == 200 && code == "Ok" { return .answer(object, .osrm) }
        return .refusal(
            code: code, message: object["message"]?.stringValue ?? "the router gave no reason")
    }

    /// The path and query of a call. Places are on the grid of 1e-7°, and every value was checked.
    static func target(of call: DirectionsCall) -> String {
        let places = call.places.map { "\(decimal($0.lonE7)),\(decimal($0.latE7))" }
        let path =
            "/\(call.service.rawValue)/v1/\(call.profile.rawValue)/"
            + places.joined(separator: ";")
        let query = call.query.map { "\($0.name)=\(escaped($0.value))" }
        return query.isEmpty ? path : path + "?" + query.joined(separator: "&")
    }

    /// Units of 1e-7° as degrees, without an exponent.
    private static func decimal(_ units: Int32) -> String {
        let size = units.magnitude
        let digits = String(size % 10_000_000)
        let zeros = String(repeating: "0", count: 7 - digits.utf8.count)
        return "\(units < 0 ? "-" : "")\(size / 10_000_000).\(zeros)\(digits)"
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2c, 0x2d, 0x2e, 0x3b, 0x5f:
                return String(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                return byte < 16 ? "%0\(digits)" : "%\(digits)"
            }
        }.joined()
    }
}
