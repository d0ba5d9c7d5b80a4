extension Request {
    /// The address of this request with one query parameter set to another value.
    ///
    /// - Throws: ``Problem`` as reading the query does.
    func address(setting name: String, to value: String) throws(Problem) -> String {
        let items = try queryItems().filter { $0.name != name } + [(name: name, value: value)]
        let query = items.map { item in
            "\(PercentCoding.encodedQuery(item.name))=\(PercentCoding.encodedQuery(item.value))"
        }
        let path = pathText.split(separator: "/").map { PercentCoding.encodedQuery(String($0)) }
        return "\(baseURL)/\(path.joined(separator: "/"))?\(query.joined(separator: "&"))"
    }
}

extension PercentCoding {
    /// Text as the name or value of a query parameter: what RFC 3986 leaves unreserved, and the
    /// comma and colon that boxes and times are written with, stay as they are.
    static func encodedQuery(_ text: String) -> String {
        var encoded: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e, 0x2c, 0x3a:
                encoded.append(byte)
            default:
                encoded += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
