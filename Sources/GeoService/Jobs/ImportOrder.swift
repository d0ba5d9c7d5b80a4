package import GeoImport
import GeoStore
import JSONText

/// What an import is to do: checked once, at the edge.
package struct ImportOrder: Sendable {
    /// The layer that the rows go into.
    package let layer: String
    /// How the file is read.
    package var options: ImportOptions
    /// Whether objects of the layer that the file does not name are removed.
    package var sync: Bool
    /// Whether everything is done but kept.
    package var dryRun: Bool
    /// Who may read and write the objects of all rows. When nil, new objects are for everybody to
    /// read and for the master key to write, and updated ones keep what they have.
    private(set) var acl: AccessList?
    /// What tells the file from others, such as a hash of it: with it, an import that was cut short
    /// goes on where it was. Letters, digits, `_` and `-`, 64 at most.
    package private(set) var fileKey: String?

    /// Creates an order.
    ///
    /// - Throws: ``LayerNameError``.
    package init(
        layer: String, options: ImportOptions = ImportOptions(), sync: Bool = false,
        dryRun: Bool = false
    ) throws(LayerNameError) {
        try LayerNameError.check(layer)
        self.layer = layer
        self.options = options
        self.sync = sync
        self.dryRun = dryRun
    }
}

extension ImportOrder {
    /// The order for a file of that fingerprint; without one it begins at the beginning each time.
    package func of(fileWith fingerprint: UInt64?) -> ImportOrder {
        var order = self
        order.fileKey = fingerprint.map { String($0, radix: 16) }
        return order
    }
}

/// Why a text is no access list.
package struct AccessTextError: Error, CustomStringConvertible {
    /// The rest of a sentence that begins with the name of the parameter.
    package let description: String
}

extension ImportOrder {
    /// Sets who may read and write the objects of all rows.
    ///
    /// - Parameter text: An access list as JSON: `{"*":{"read":true}}`; `{}` is the master key only.
    /// - Throws: ``AccessTextError``.
    package mutating func setAccess(_ text: String) throws(AccessTextError) {
        let reason: String
        do {
            acl = try AccessList(JSONParser.parse(text: text))
            return
        } catch let error as SchemaError {
            reason = error.description
        } catch {
            reason = "\(error)"
        }
        throw AccessTextError(
            description: "must be JSON such as {\"*\":{\"read\":true}}: \(reason)")
    }
}

/// Why a layer cannot have a name.
package enum LayerNameError: Error, Equatable, Sendable {
    /// It is no name of a class that clients may write.
    case malformed(String)
    /// A path of the API begins with it.
    case reserved(String)

    fileprivate static func check(_ name: String) throws(LayerNameError) {
        guard Naming.isIdentifier(name) else { throw .malformed(name) }
        guard !LayerCatalog.reservedNames.contains(name) else { throw .reserved(name) }
    }
}

extension LayerNameError: CustomStringConvertible {
    /// The rest of a sentence that begins with "layer".
    package var description: String {
        switch self {
        case .malformed(let name):
            "cannot be \"\(name.prefix(Naming.maximumLength))\": it must begin with a letter and "
                + "have at most \(Naming.maximumLength) letters, digits and underscores"
        case .reserved(let name): "cannot be \(name): that name belongs to the service itself"
        }
    }
}

extension ImportOrder {
    /// The parameters of `POST /import/{layer}`.
    private static let parameters = [
        "acl", "crs", "delimiter", "dry-run", "encoding", "header", "id", "kind", "lat", "lon",
        "resume", "sync", "tags", "wkt",
    ]

    /// Reads the order of a request.
    ///
    /// - Throws: ``Problem`` (400) naming the parameter.
    init(_ request: Request) throws(Problem) {
        var options = ImportOptions()
        var sync = false
        var dryRun = false
        var access: String?
        var fileKey: String?
        for (name, value) in try request.queryItems() {
            switch name {
            case "lon": options.lonColumn = try ImportOrder.column(name, value)
            case "lat": options.latColumn = try ImportOrder.column(name, value)
            case "id": options.idColumn = try ImportOrder.column(name, value)
            case "kind": options.kindColumn = try ImportOrder.column(name, value)
            case "tags":
                do throws(OSMTagFilterError) {
                    options.tags = try OSMTagFilter(value)
                } catch {
                    throw .parameter("tags", error.description)
                }
            case "wkt", "crs", "header", "delimiter", "encoding":
                do throws(TableOptionError) {
                    try options.set(name, value)
                } catch {
                    throw .parameter(name, error.description)
                }
            case "acl": access = value
            case "resume":
                guard FileID.isPlain(value) else {
                    throw .parameter(
                        name, "must be 1 to 64 letters, digits, _ and - that stand for the file")
                }
                fileKey = value
            case "sync": sync = try ImportOrder.flag(name, value)
            case "dry-run": dryRun = try ImportOrder.flag(name, value)
            default:
                throw .parameter(
                    name,
                    "is not a parameter of an import; it takes "
                        + ImportOrder.parameters.joined(separator: ", "))
            }
        }
        do {
            try self.init(
                layer: request.pathValue("layer") ?? "", options: options, sync: sync,
                dryRun: dryRun)
        } catch {
            throw .parameter("layer", error.description)
        }
        self.fileKey = fileKey
        guard let access else { return }
        do throws(AccessTextError) {
            try setAccess(access)
        } catch {
            throw .parameter("acl", error.description)
        }
    }

    /// The same order as the query of a request, without values that are the defaults.
    var query: [(name: String, value: String)] {
        var items: [(String, String)] = []
        if let column = options.lonColumn { items.append(("lon", column)) }
        if let column = options.latColumn { items.append(("lat", column)) }
        if let column = options.idColumn { items.append(("id", column)) }
        if let column = options.kindColumn { items.append(("kind", column)) }
        if options.tags != .places { items.append(("tags", options.tags.text)) }
        items += options.tableItems
        if let fileKey { items.append(("resume", fileKey)) }
        if sync { items.append(("sync", "true")) }
        if dryRun { items.append(("dry-run", "true")) }
        if let acl {
            let text = JSONWriter.encode(acl.json)
            items.append(("acl", String(decoding: text, as: UTF8.self)))
        }
        return items
    }

    private static func column(_ name: String, _ value: String) throws(Problem) -> String {
        guard !value.isEmpty else { throw .parameter(name, "must be the name of a column") }
        return value
    }

    private static func flag(_ name: String, _ value: String) throws(Problem) -> Bool {
        switch value {
        case "true": return true
        case "false": return false
        default: throw .parameter(name, "must be true or false")
        }
    }
}
