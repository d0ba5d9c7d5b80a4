/// The revision of the pictures that this module draws.
///
/// The same data drawn by the same revision gives the same bytes. The number is raised whenever a
/// change of the drawing, the palette, the basemap or the compression alters the picture of
/// unchanged data, so that a strong entity tag made from it and from the data's revision never
/// names two different pictures.
public enum TileRevision {
    /// The current revision; it starts at 1 and only grows.
    public static let number: UInt64 = 2
}
