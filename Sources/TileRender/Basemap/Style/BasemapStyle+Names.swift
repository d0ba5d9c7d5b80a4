extension BasemapStyle {
    /// How names look, how far apart they keep, and from which zoom on they show.
    package struct Names: Sendable {
        /// Around letters, so that they can be read over lines.
        let halo: Color
        let haloWidthPixels: Double
        /// How far apart names keep, by zoom.
        let clearancePixels: ZoomCurve
        /// Names of towns grow as one zooms in: a factor by zoom, which less than doubles in a
        /// zoom.
        let townGrowth: ZoomCurve
        /// The least rank of a town that is named, from each of some zooms on, ascending.
        let leastTownRank: [(fromZoom: UInt8, rank: UInt8)]
        /// How much more than a town of as many people a capital counts.
        let capitalBonus: Int
        /// The zoom from which on all capitals are named.
        let allCapitalsZoom: UInt8
        /// The last zoom at which countries and waters come before capitals.
        let lastAreasFirstZoom: UInt8
        /// The zoom after which no name of the world map appears that had no room before.
        let lastNewZoom: UInt8
        /// The looks, the most important first.
        let looks: [Look]
        /// The place in ``looks`` of each class by its raw value.
        private let places: [Int?]

        /// The deepest ``lastNewZoom``: placing names takes time for each zoom.
        package static let newZooms: ClosedRange<UInt8> = 4...16

        /// The rules for names.
        ///
        /// - Precondition: the world map's five classes have looks, and no class has two.
        package init(
            halo: Color, haloWidthPixels: Double, clearancePixels: ZoomCurve,
            townGrowth: ZoomCurve, leastTownRank: [(fromZoom: UInt8, rank: UInt8)],
            capitalBonus: Int, allCapitalsZoom: UInt8, lastAreasFirstZoom: UInt8,
            lastNewZoom: UInt8, looks: [Look]
        ) {
            self.halo = halo
            self.haloWidthPixels = haloWidthPixels
            self.clearancePixels = clearancePixels
            self.townGrowth = townGrowth
            self.leastTownRank = leastTownRank
            self.capitalBonus = capitalBonus
            self.allCapitalsZoom = allCapitalsZoom
            self.lastAreasFirstZoom = lastAreasFirstZoom
            self.lastNewZoom = lastNewZoom
            self.looks = looks
            var places = [Int?](repeating: nil, count: PointClass.allCases.count)
            for (place, look) in looks.enumerated() {
                precondition(places[Int(look.points.rawValue)] == nil, "\(look.points) comes twice")
                places[Int(look.points.rawValue)] = place
            }
            for points in [PointClass.city, .capital, .country, .ocean, .sea] {
                precondition(places[Int(points.rawValue)] != nil, "\(points) has no look")
            }
            self.places = places
        }

        /// The look of a class; `nil` when the style leaves it out.
        func look(_ points: PointClass) -> Look? {
            places[Int(points.rawValue)].map { looks[$0] }
        }

        /// How important a class is: 0 is the most.
        func order(_ points: PointClass) -> Int { places[Int(points.rawValue)] ?? looks.count }

        /// The least rank of a town that is named at a zoom; `nil` when none is.
        func leastTownRank(_ zoom: UInt8) -> Int? {
            leastTownRank.last { $0.fromZoom <= zoom }.map { Int($0.rank) }
        }
    }

    /// The look of the names of a class.
    package struct Look: Sendable {
        let points: PointClass
        let zooms: ClosedRange<UInt8>
        let color: Color
        let isBold: Bool
        let isItalic: Bool
        let isUppercase: Bool
        let spacingPixels: Double
        /// The size of the letters by the rank of what is named: the first that it reaches.
        let sizesPixels: [Step]
        let dot: Dot?

        /// A size from a rank on.
        package struct Step: Sendable {
            let leastRank: UInt8
            let pixels: Double

            /// A size from a rank on.
            package init(leastRank: UInt8, pixels: Double) {
                self.leastRank = leastRank
                self.pixels = pixels
            }
        }

        /// The spot that marks the place.
        package struct Dot: Sendable {
            let color: Color
            /// The rim, and the middle of a ring.
            let rimColor: Color
            let isRing: Bool
            /// The radius by rank: the first that it reaches.
            let radiiPixels: [Step]

            /// A spot.
            package init(color: Color, rimColor: Color, isRing: Bool, radiiPixels: [Step]) {
                self.color = color
                self.rimColor = rimColor
                self.isRing = isRing
                self.radiiPixels = radiiPixels
            }
        }

        /// A look.
        ///
        /// - Precondition: sizes and radii descend to rank 0.
        package init(
            _ points: PointClass, zooms: ClosedRange<UInt8>, color: Color, isBold: Bool,
            isItalic: Bool, isUppercase: Bool, spacingPixels: Double, sizesPixels: [Step],
            dot: Dot?
        ) {
            precondition(Look.isWhole(sizesPixels), "sizes of \(points) do not descend to 0")
            precondition(
                dot.map { Look.isWhole($0.radiiPixels) } ?? true,
                "radii of \(points) do not descend to 0")
            self.points = points
            self.zooms = zooms
            self.color = color
            self.isBold = isBold
            self.isItalic = isItalic
            self.isUppercase = isUppercase
            self.spacingPixels = spacingPixels
            self.sizesPixels = sizesPixels
            self.dot = dot
        }

        /// Whether steps give every rank a number: their ranks descend to 0.
        package static func isWhole(_ steps: [Step]) -> Bool {
            steps.last?.leastRank == 0
                && zip(steps, steps.dropFirst()).allSatisfy { $0.leastRank > $1.leastRank }
        }

        /// The size of the letters at a rank, in pixels.
        func size(rank: UInt8) -> Double { Look.value(sizesPixels, rank) }

        /// The radius of the spot at a rank, in pixels; 0 when there is none.
        func dotRadius(rank: UInt8) -> Double { dot.map { Look.value($0.radiiPixels, rank) } ?? 0 }

        /// A name as it is drawn.
        func text(_ name: String) -> String { isUppercase ? name.uppercased() : name }

        private static func value(_ steps: [Step], _ rank: UInt8) -> Double {
            // The last step has rank 0.
            steps.first { rank >= $0.leastRank }?.pixels ?? 0
        }
    }
}
