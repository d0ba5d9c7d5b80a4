import GeoStore
import JSONText

/// One call of the Parse surface, whichever way it came: as a request of its own, with its method
/// in the body, or in a batch.
struct ParseRequest: Sendable {
    /// The method that is meant; never `HEAD`, which is `GET` here.
    let method: HTTPMethod
    let path: ParsePath
    /// The body of a write; the parameters of a `GET`, from URL and body.
    let parameters: JSONObject
    /// About how many bytes the parameters hold on to.
    let payloadBytes: Int
    let caller: ParseCaller
}

/// Who calls, and by which way: the same for all requests of a batch.
struct ParseCaller: Sendable {
    let identity: ParseIdentity
    /// What it is shown.
    let view: ObjectView
    /// Whether a write may bring a class into being.
    let mayCreateClasses: Bool
    let links: ParseLinks
    let accounts: Accounts
    /// The classes when the request came.
    let catalog: SchemaCatalog
    /// Is told how finds fared.
    let indexes: IndexMaker

    /// The address that limits count; nil on this machine, through no proxy.
    var limitedAddress: IPAddress? {
        links.request.isLoopbackMode ? nil : links.request.clientAddress
    }
}

/// Makes the addresses that answers contain. Made of the request only when one is needed.
struct ParseLinks: Sendable {
    let request: Request
    let applicationID: String

    /// The address of the mount, without a slash at its end.
    var mount: String { request.baseURL + ParsePath.mount }

    /// The address of one object.
    func object(_ className: String, _ objectId: String) -> String {
        let path = className == AccountNames.user ? "users" : "classes/\(className)"
        return "\(mount)/\(path)/\(objectId)"
    }

    /// The address of a file's bytes.
    func file(_ name: String) -> String {
        "\(mount)/files/\(ParseLinks.escaped(applicationID))/\(ParseLinks.escaped(name))"
    }

    /// A path segment with everything escaped but RFC 3986's unreserved characters.
    static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e:
                bytes.append(byte)
            default:
                bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
