import TileRender

/// Reads one style from the file's layers and names with the colours of that style.
struct BasemapStyleReader {
    let name: String
    let colors: [String: Color]

    /// Sizes of letters, in pixels.
    private static let letterSizes = 6.0...48.0
    /// Radii of spots, in pixels.
    private static let dotRadii = 1.0...12.0

    func style(_ file: StyleValue) throws(StyleFault) -> BasemapStyle {
        var layers: [BasemapStyle.Layer] = []
        for layer in try file.required("layers").elements("layers") {
            layers.append(try self.layer(layer))
        }
        return BasemapStyle(
            name: name, background: try opaqueColor(file, "background"), layers: layers,
            names: try names(try file.required("names")))
    }

    /// The colour that a member names.
    private func color(_ value: StyleValue, _ member: String) throws(StyleFault) -> Color {
        let member = try value.required(member)
        guard let color = colors[try member.text()] else {
            throw member.fault("must name one of the colours of \(name)")
        }
        return color
    }

    private func opaqueColor(_ value: StyleValue, _ member: String) throws(StyleFault) -> Color {
        let color = try color(value, member)
        guard color.alpha == 255 else {
            throw try value.required(member).fault(
                "must name an opaque colour: only halos may be clear")
        }
        return color
    }

    // MARK: Shapes

    private func layer(_ value: StyleValue) throws(StyleFault) -> BasemapStyle.Layer {
        if let roads = value.optional("roads") {
            _ = try value.members(["roads"])
            var lines: [BasemapStyle.Line] = []
            for road in try roads.elements("lines") {
                let line = try line(road)
                lines.append(line)
            }
            return .roads(lines)
        }
        if value.optional("line") != nil { return .line(try line(value)) }
        guard let fill = value.optional("fill") else {
            throw value.fault("must have the member fill, line or roads")
        }
        _ = try value.members(["fill", "color", "from", "to"])
        let shapes: ShapeClass = try fill.word("a class of areas")
        guard shapes.isArea else {
            throw fill.fault("must be a class of areas: \(shapes) are lines")
        }
        return .fill(
            BasemapStyle.Fill(
                shapes, color: try opaqueColor(value, "color"), zooms: try value.zoomRange()))
    }

    private func line(_ value: StyleValue) throws(StyleFault) -> BasemapStyle.Line {
        _ = try value.members(["line", "color", "from", "to", "width", "casing"])
        let zooms = try value.zoomRange()
        var casing: BasemapStyle.Casing?
        if let rim = value.optional("casing") {
            _ = try rim.members(["color", "from", "to", "width"])
            casing = BasemapStyle.Casing(
                color: try opaqueColor(rim, "color"), zooms: try rim.zoomRange(),
                widthPixels: try rim.required("width").curve(in: 0.1...8, of: "pixels"))
        }
        let line = BasemapStyle.Line(
            try value.required("line").word("a class of shapes"),
            color: try opaqueColor(value, "color"), zooms: zooms,
            widthPixels: try value.required("width").curve(
                in: BasemapStyle.lineWidths, of: "pixels"),
            casing: casing)
        let widest = BasemapStyle.lineWidths.upperBound
        if let zoom = StyleValue.zooms.first(where: { line.wholeWidthPixels($0) > widest }) {
            throw value.fault("is wider than \(widest) pixels with its casing at zoom \(zoom)")
        }
        return line
    }

    // MARK: Names

    private func names(_ value: StyleValue) throws(StyleFault) -> BasemapStyle.Names {
        _ = try value.members(["halo", "clearance", "towns", "classes"])
        let halo = try value.required("halo")
        _ = try halo.members(["color", "width"])
        let towns = try value.required("towns")
        _ = try towns.members([
            "growth", "leastRank", "capitalBonus", "allCapitalsFrom", "areasFirstTo", "newTo",
        ])
        let ranks = try towns.required("leastRank")
        let leastTownRank = try ranks.pairs(
            "zoom", first: StyleValue.zooms, values: 0...255, of: "least rank")
        guard zip(leastTownRank, leastTownRank.dropFirst()).allSatisfy({ $0.first < $1.first })
        else { throw ranks.fault("must have ascending zooms") }
        return BasemapStyle.Names(
            halo: try color(halo, "color"),
            haloWidthPixels: try halo.required("width").number(in: 0.5...6, of: "pixels"),
            clearancePixels: try steady(try value.required("clearance"), in: 1...64, of: "pixels"),
            townGrowth: try steady(try towns.required("growth"), in: 0.5...4, of: "times"),
            leastTownRank: leastTownRank.map { ($0.first, UInt8($0.value)) },
            capitalBonus: Int(
                try towns.required("capitalBonus").wholeNumber(in: 0...255, "a number of ranks")),
            allCapitalsZoom: try towns.required("allCapitalsFrom").wholeNumber(
                in: StyleValue.zooms, "a zoom"),
            lastAreasFirstZoom: try towns.required("areasFirstTo").wholeNumber(
                in: StyleValue.zooms, "a zoom"),
            lastNewZoom: try towns.required("newTo").wholeNumber(
                in: BasemapStyle.Names.newZooms, "a zoom"),
            looks: try looks(try value.required("classes")))
    }

    /// A curve that less than doubles from zoom to zoom: a name that has room would lose it.
    private func steady(
        _ value: StyleValue, in range: ClosedRange<Double>, of unit: String
    ) throws(StyleFault) -> ZoomCurve {
        let curve = try value.curve(in: range, of: unit)
        if let zoom = curve.doublingZoom {
            throw value.fault(
                "must less than double from a zoom to the next, so that names keep their room; "
                    + "it does not from zoom \(zoom)")
        }
        return curve
    }

    private func looks(_ value: StyleValue) throws(StyleFault) -> [BasemapStyle.Look] {
        var looks: [BasemapStyle.Look] = []
        var known: Set<PointClass> = []
        for element in try value.elements("classes of names") {
            _ = try element.members([
                "name", "from", "to", "color", "bold", "italic", "uppercase", "spacing", "size",
                "dot",
            ])
            let points: PointClass = try element.required("name").word("a class of names")
            guard known.insert(points).inserted else {
                throw element.fault("is the second one of \(points)")
            }
            looks.append(
                BasemapStyle.Look(
                    points, zooms: try element.zoomRange(),
                    color: try opaqueColor(element, "color"),
                    isBold: try element.optional("bold")?.flag() ?? false,
                    isItalic: try element.optional("italic")?.flag() ?? false,
                    isUppercase: try element.optional("uppercase")?.flag() ?? false,
                    spacingPixels: try element.optional("spacing")?.number(
                        in: 0...8, of: "pixels") ?? 0,
                    sizesPixels: try element.required("size").steps(
                        in: BasemapStyleReader.letterSizes, of: "pixels"),
                    dot: try dot(element.optional("dot"))))
        }
        for points in [PointClass.city, .capital, .country, .ocean, .sea]
        where !known.contains(points) {
            throw value.fault("must have \(points): the world map has such names")
        }
        return looks
    }

    private func dot(_ value: StyleValue?) throws(StyleFault) -> BasemapStyle.Look.Dot? {
        guard let value else { return nil }
        _ = try value.members(["color", "rim", "ring", "radius"])
        return BasemapStyle.Look.Dot(
            color: try opaqueColor(value, "color"), rimColor: try opaqueColor(value, "rim"),
            isRing: try value.optional("ring")?.flag() ?? false,
            radiiPixels: try value.required("radius").steps(
                in: BasemapStyleReader.dotRadii, of: "pixels"))
    }
}
