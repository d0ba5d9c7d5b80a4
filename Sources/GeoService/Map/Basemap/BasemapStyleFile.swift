import GeoIndex
import JSONText
package import TileRender

/// The styles of the basemap as `styles/basemap.json` has them: colours by style, and layers and
/// names that all styles share. `docs/basemap.md` says what each member means.
package struct BasemapStyleFile: Sendable {
    /// The styles; the first is taken where none is asked for.
    package let styles: [BasemapStyle]
    /// A hash of all that a style's pictures depend on, for each style: white space is not in it.
    let hashes: [UInt64]

    static let name = "styles/basemap.json"
    static let limitBytes = 256 << 10
    private static let styleLimit = 16

    /// Reads a file.
    ///
    /// - Throws: ``SettingError`` naming the file, the line and the member that is wrong, and what
    ///   would be right.
    package init(_ bytes: [UInt8]) throws(SettingError) {
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONParser().parse(
                bytes.span, maxBytes: BasemapStyleFile.limitBytes, maxDepth: 32,
                repeatedNames: .refused)
        } catch {
            let line = JSONLines.faultLine(in: bytes).map { ", line \($0)" } ?? ""
            throw SettingError(BasemapStyleFile.name + line + ":", "\(error)")
        }
        do throws(StyleFault) {
            let file = StyleValue(value: root, path: [])
            let members = try file.members(["colors", "background", "layers", "names"])
            var shared = members
            shared.removeValue(forKey: "colors")
            var styles: [BasemapStyle] = []
            var hashes: [UInt64] = []
            for (name, colors) in try BasemapStyleFile.palettes(try file.required("colors")) {
                styles.append(try BasemapStyleReader(name: name, colors: colors).style(file))
                var hash = StableHash()
                hash.combine(bytes: JSONWriter.encode(.object(shared)))
                for color in colors.sorted(by: { $0.key < $1.key }) {
                    hash.combine(bytes: Array(color.key.utf8))
                    hash.combine(UInt64(color.value.argb))
                }
                hashes.append(hash.value)
            }
            self.styles = styles
            self.hashes = hashes
        } catch {
            let line = JSONLines.line(of: error.path, in: bytes)
            throw SettingError(
                "\(BasemapStyleFile.name), line \(line):", "\(error.field) \(error.whatIsRight)")
        }
    }

    /// The place of a style in ``styles``; the first when none is named.
    func index(of name: String?) -> Int? {
        guard let name else { return 0 }
        return styles.firstIndex { $0.name == name }
    }

    /// The colours of each style, all of which have the same names.
    private static func palettes(
        _ value: StyleValue
    ) throws(StyleFault) -> [(name: String, colors: [String: Color])] {
        guard let members = value.value.objectValue, (1...styleLimit).contains(members.count) else {
            throw value.fault(
                "must be an object of 1 to \(styleLimit) styles, each an object of colours")
        }
        var palettes: [(name: String, colors: [String: Color])] = []
        for name in members.keys {
            let style = try value.required(name)
            guard isName(name) else {
                throw style.fault("has a name that is not 1 to 32 lower-case letters and digits")
            }
            guard let list = style.value.objectValue else {
                throw style.fault("must be an object of colours")
            }
            var colors: [String: Color] = [:]
            for key in list.keys { colors[key] = try color(try style.required(key)) }
            if let first = palettes.first {
                for key in first.colors.keys.sorted() where colors[key] == nil {
                    throw style.fault("must have the colour \(key), as \(first.name) has")
                }
                for key in list.keys where first.colors[key] == nil {
                    throw try style.required(key).fault("is a colour that \(first.name) lacks")
                }
            }
            palettes.append((name, colors))
        }
        return palettes
    }

    private static func isName(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) }
    }

    /// `#rrggbb`, or `#rrggbbaa` with the alpha last.
    private static func color(_ value: StyleValue) throws(StyleFault) -> Color {
        let text = Array((value.value.stringValue ?? "").utf8)
        let digits = String(decoding: text.dropFirst(), as: UTF8.self)
        guard text.first == UInt8(ascii: "#"), text.count == 7 || text.count == 9,
            text.dropFirst().allSatisfy({ isHexadecimal($0) }),
            let number = UInt32(digits, radix: 16)
        else { throw value.fault("must be a colour, #rrggbb or #rrggbbaa") }
        return text.count == 7
            ? Color(number) : Color(number >> 8, alpha: UInt8(truncatingIfNeeded: number))
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }
}
