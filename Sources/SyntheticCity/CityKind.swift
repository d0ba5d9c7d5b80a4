/// What an object of a synthetic city is.
package enum CityKind: UInt8, CaseIterable, Sendable {
    case marker, event, trade, photo, track

    /// The value of the `kind` field.
    package var name: String {
        switch self {
        case .marker: "marker"
        case .event: "event"
        case .trade: "trade"
        case .photo: "photo"
        case .track: "track"
        }
    }

    /// How many of 100 objects are of this kind; all five sum to 100.
    package var percent: UInt32 {
        switch self {
        case .marker: 34
        case .event: 11
        case .trade: 23
        case .photo: 25
        case .track: 7
        }
    }

    /// The kind at a place in the hundred, in `0..<100`.
    static func at(percentile: UInt32) -> CityKind {
        var end: UInt32 = 0
        for kind in CityKind.allCases {
            end += kind.percent
            if percentile < end { return kind }
        }
        return .marker
    }
}
