import JSONText
package import TileRender

/// The looks of kinds on raster tiles, as `styles/marks.json` has them: read once at the start.
///
///     {"neutral": "#5f6b78", "further": ["#0b7a86"],
///      "kinds": [{"kind": "hospital", "color": "#c22f3d", "icon": "M5 2H8V11H5Z"}]}
struct MarkFile: Sendable {
    /// Where it stands below the assets' folder.
    static let name = "styles/marks.json"
    private static let limitBytes = 256 << 10
    private static let longestKind = 100

    /// The looks.
    let style: KindStyle
    /// The outlines of icons as the file has them, by kind.
    let icons: [String: String]

    /// Reads the file.
    ///
    /// - Throws: ``SettingError`` naming the member that is wrong and what would be right.
    init(path: String) throws(SettingError) {
        guard let bytes = try SmallFile.read(path, limitBytes: MarkFile.limitBytes) else {
            throw SettingError(MarkFile.name, "has gone")
        }
        try self.init(bytes)
    }

    /// Reads the text of a file.
    ///
    /// - Throws: ``SettingError``.
    init(_ bytes: [UInt8]) throws(SettingError) {
        let json: JSONValue
        do { json = try JSONParser().parse(bytes.span, maxDepth: 8) } catch {
            throw SettingError(MarkFile.name, "must be JSON: \(error)")
        }
        let members = try MarkFile.members(json, "", ["neutral", "further", "kinds"])
        let neutral = try MarkFile.color(members["neutral"], "neutral")
        guard let colors = members["further"]?.arrayValue, !colors.isEmpty else {
            throw MarkFile.wrong("further", "must be a list of one colour or more")
        }
        guard let kinds = members["kinds"]?.arrayValue else {
            throw MarkFile.wrong("kinds", "must be a list of looks")
        }
        let most = KindStyle.mostSlots - 1
        guard colors.count + kinds.count <= most else {
            throw MarkFile.wrong(
                "kinds", "and further have \(colors.count + kinds.count) entries; at most \(most)")
        }
        var further: [UInt32] = []
        for (index, color) in colors.enumerated() {
            further.append(try MarkFile.color(color, "further[\(index)]"))
        }
        var looks: [KindStyle.Look] = []
        var icons: [String: String] = [:]
        var seen: Set<String> = []
        for (index, json) in kinds.enumerated() {
            let (look, icon) = try MarkFile.look(json, "kinds[\(index)]")
            guard seen.insert(look.kind).inserted else {
                throw MarkFile.wrong("kinds[\(index)].kind", "must not stand there twice")
            }
            looks.append(look)
            icons[look.kind] = icon
        }
        style = KindStyle(neutral: neutral, further: further, named: looks)
        self.icons = icons
    }

    private static func look(
        _ json: JSONValue, _ place: String
    ) throws(SettingError) -> (KindStyle.Look, icon: String?) {
        let members = try members(json, place, ["kind", "color", "icon"])
        guard let kind = members["kind"]?.stringValue, (1...longestKind).contains(kind.utf8.count)
        else { throw wrong(place + ".kind", "must be a text of 1 to \(longestKind) bytes") }
        let rgb = try color(members["color"], place + ".color")
        guard let outline = members["icon"] else {
            return (KindStyle.Look(kind: kind, rgb: rgb), nil)
        }
        guard let text = outline.stringValue else {
            throw wrong(place + ".icon", "must be SVG path data, or not be there")
        }
        do throws(IconPathError) {
            return (KindStyle.Look(kind: kind, rgb: rgb, icon: try IconPath.icon(text)), text)
        } catch {
            throw wrong(place + ".icon", "is SVG path data that \(error)")
        }
    }

    /// A colour on which white can be read.
    private static func color(_ json: JSONValue?, _ place: String) throws(SettingError) -> UInt32 {
        let text = json?.stringValue ?? ""
        guard text.utf8.count == 7, text.hasPrefix("#"),
            text.dropFirst().allSatisfy(\.isHexDigit), let rgb = UInt32(text.dropFirst(), radix: 16)
        else { throw wrong(place, "must be a colour such as #1f65c8") }
        guard KindStyle.contrast(toWhite: rgb) >= KindStyle.leastContrast else {
            throw wrong(
                place,
                "is too light for white digits: their contrast must be at least "
                    + "\(Int(KindStyle.leastContrast)) to 1")
        }
        return rgb
    }

    private static func members(
        _ json: JSONValue, _ place: String, _ known: [String]
    ) throws(SettingError) -> JSONObject {
        guard let object = json.objectValue else { throw wrong(place, "must be an object") }
        for key in object.keys where !known.contains(key) {
            throw wrong(
                place.isEmpty ? key : "\(place).\(key)",
                "is not known: there are \(known.joined(separator: ", "))")
        }
        return object
    }

    private static func wrong(_ place: String, _ whatIsRight: String) -> SettingError {
        SettingError(place.isEmpty ? MarkFile.name : "\(MarkFile.name): \(place)", whatIsRight)
    }
}

extension KindStyle {
    /// The looks that stand beside the program.
    ///
    /// - Parameter assets: The folder of the assets; nil is the usual one.
    /// - Throws: ``SettingError`` when they are missing or wrong.
    package init(assets: String?) throws(SettingError) {
        self = try MarkFile(path: try Assets.marks(root: assets)).style
    }
}
