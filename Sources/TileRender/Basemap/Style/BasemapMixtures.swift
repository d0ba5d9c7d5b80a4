internal import GeoIndex
internal import Glibc

/// Which of a style's colours meet at a zoom, and so mix where their edge runs through a pixel.
struct BasemapMixtures {
    /// The style's own colours, each once.
    private var own: [Color] = []
    /// Two colours that meet.
    private var pairs: [(first: Color, last: Color)] = []

    init(style: BasemapStyle, zoom: UInt8) {
        let sea = style.background
        var land = sea
        add(sea)
        var areas: [Color] = []
        for case .fill(let fill) in style.layers where fill.zooms.contains(zoom) {
            add(fill.color)
            if fill.shapes == .land { land = fill.color }
            areas.append(fill.color)
        }
        meet(sea, land)
        for area in areas { meet(area, land) }
        for layer in style.layers {
            switch layer {
            case .fill: continue
            case .line(let line): addLine(line, zoom, land: land, sea: sea, style)
            case .roads(let lines):
                for line in lines { addLine(line, zoom, land: land, sea: sea, style) }
            }
        }
        addNames(style.names, zoom, land: land, sea: sea)
    }

    private mutating func addLine(
        _ line: BasemapStyle.Line, _ zoom: UInt8, land: Color, sea: Color, _ style: BasemapStyle
    ) {
        guard line.zooms.contains(zoom) else { return }
        add(line.color)
        if let casing = line.casing, casing.zooms.contains(zoom) {
            add(casing.color)
            meet(line.color, casing.color)
            meet(casing.color, land)
        } else {
            meet(line.color, land)
        }
        // An outline lies between its area and what is around, a border runs through lakes.
        for case .fill(let fill) in style.layers where fill.zooms.contains(zoom) {
            let isOwn = fill.shapes == line.shapes
            let isCrossed = line.shapes == .border && fill.shapes == .lake
            if isOwn || isCrossed { meet(line.color, fill.color) }
        }
        if line.shapes == .land { meet(line.color, sea) }
    }

    private mutating func addNames(
        _ names: BasemapStyle.Names, _ zoom: UInt8, land: Color, sea: Color
    ) {
        let dry = BasemapMixtures.over(names.halo, land)
        let wet = BasemapMixtures.over(names.halo, sea)
        meet(dry, land)
        meet(wet, sea)
        for look in names.looks where look.zooms.contains(zoom) {
            add(look.color)
            meet(look.color, dry)
            if look.points.isWet { meet(look.color, wet) }
            if let dot = look.dot {
                add(dot.color)
                add(dot.rimColor)
                meet(dot.color, dot.rimColor)
            }
        }
    }

    private mutating func add(_ color: Color) {
        if !own.contains(color) { own.append(color) }
    }

    private mutating func meet(_ first: Color, _ last: Color) {
        guard first != last else { return }
        let isKnown = pairs.contains {
            ($0.first, $0.last) == (first, last) || ($0.first, $0.last) == (last, first)
        }
        if !isKnown { pairs.append((first, last)) }
    }

    /// The style's colours and the mixtures of those that meet, with at most `step` between one
    /// mixture and the next, as a distance in RGB.
    func colors(step: Double) -> [Color] {
        var colors = own
        var seen = Set(own)
        for (first, last) in pairs {
            let parts = max(1, Int((BasemapMixtures.distance(first, last) / step).rounded(.up)))
            for part in 0...parts {
                let color = BasemapMixtures.mix(first, last, part, of: parts)
                if seen.insert(color).inserted { colors.append(color) }
            }
        }
        return colors
    }

    private static func distance(_ first: Color, _ last: Color) -> Double {
        func square(_ first: UInt8, _ last: UInt8) -> Double {
            let difference = Double(first) - Double(last)
            return difference * difference
        }
        return sqrt(
            square(first.red, last.red) + square(first.green, last.green)
                + square(first.blue, last.blue))
    }

    private static func mix(_ first: Color, _ last: Color, _ step: Int, of steps: Int) -> Color {
        func channel(_ first: UInt8, _ last: UInt8) -> UInt8 {
            UInt8((Int(first) * (steps - step) + Int(last) * step + steps / 2) / steps)
        }
        return Color(
            red: channel(first.red, last.red), green: channel(first.green, last.green),
            blue: channel(first.blue, last.blue))
    }

    private static func over(_ color: Color, _ below: Color) -> Color {
        mix(below, Color(color.argb & 0xff_ffff), Int(color.alpha), of: 255)
    }
}
