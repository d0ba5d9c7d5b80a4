/// Why bytes are not a world map that can be drawn.
public enum WorldMapError: Error, Equatable, Sendable {
    /// The bytes do not begin as a world map does.
    case notAWorldMap
    /// The file has a version that this program does not read.
    case version(UInt32)
    /// The file is shorter or longer than it says.
    case size(expectedBytes: Int, actualBytes: Int)
    /// The bytes are not those that were written.
    case checksum
    /// The bytes are whole, but what they say is out of range. `offset` counts unpacked bytes.
    case content(Content, offset: Int)

    /// What was out of range.
    public enum Content: String, Sendable {
        /// The stream does not unpack, or not to the size that the header says.
        case packing = "packed stream"
        /// The content ends in the middle of a value.
        case end = "end of the content"
        /// A number has too many bytes.
        case number
        /// Zooms out of order, or not covered.
        case zooms
        /// An unknown kind of shape or name, or one that comes twice.
        case kind
        /// More of something than the remaining bytes can hold, or none.
        case count
        /// A place off the map.
        case place
        /// A name that is empty, too long or not UTF-8.
        case name
    }
}

extension WorldMapError: CustomStringConvertible {
    /// A sentence that says what is wrong.
    public var description: String {
        switch self {
        case .notAWorldMap: "this is not a world map file"
        case .version(let version):
            "the world map has version \(version); this program reads \(WorldMap.version)"
        case .size(let expected, let actual):
            "the world map should have \(expected) bytes and has \(actual)"
        case .checksum: "the world map is damaged: its checksum is wrong"
        case .content(let content, let offset):
            "the world map is damaged: wrong \(content.rawValue) at \(offset)"
        }
    }
}
