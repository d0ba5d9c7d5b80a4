/// The world map as a source of shapes. Its names are placed once for the whole world and are not
/// given as points: see ``LabelPlacement``.
extension WorldMap: BasemapFeatures {
    /// Always the same: a map does not change.
    func fingerprint(in window: FeatureWindow) -> UInt64 { 0 }

    /// All shapes of the level of detail: finding those that touch a window is as fast while
    /// they are drawn.
    func shapes(_ shapes: ShapeClass, in window: FeatureWindow) -> [FeatureShapes] {
        let band = band(zoom: window.zoom)
        let paths: PathLayer? =
            switch shapes {
            case .land: band.land
            case .lake: band.lakes
            case .border: band.borders
            case .province: band.provinces
            default: nil
            }
        guard let paths, paths.count > 0 else { return [] }
        return [FeatureShapes(gridBits: band.gridBits, paths: paths)]
    }

    /// None.
    func points(in window: FeatureWindow) -> [FeaturePoint] { [] }
}
