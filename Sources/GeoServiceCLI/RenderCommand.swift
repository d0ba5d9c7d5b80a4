import GeoService

/// `geoservice render`: a tile, or a picture of a box, into a file.
struct RenderCommand: Subcommand {
    static let usage = """
        usage: geoservice render --layer NAME --tile Z/X/Y -o FILE.png [OPTIONS]
               geoservice render --layer NAME --bbox W,S,E,N --zoom N -o FILE.png [OPTIONS]
               geoservice render --layer NAME --bbox W,S,E,N --size WxH -o FILE.png [OPTIONS]

        Draws one tile of a layer, the same picture as a server sends, or a box of it: neighbouring
        tiles joined and cut at the box's edges. While a server holds the data directory it is asked
        for the picture. The layer basemap is the world map.

          --layer NAME    the layer
          --tile Z/X/Y    the tile: zoom, column, row from the north
          --bbox W,S,E,N  the box, in degrees; W > E crosses 180°
          --zoom N        the zoom at which the box is drawn, 0 to 22
          --size WxH      the picture's size in pixels, at the deepest zoom at which the box is in it;
                          4096x4096 at most
          -o FILE.png     where the picture goes
          --style S       clusters (default), points or heat; of the basemap light (default) or dark
          --scale N       1 (default), or 2 for twice the pixels: a tile has 256 or 512
          --palette P     the colours of heat
          --data DIR      where everything is kept (default ./geodata)
          --url URL       ask a server instead; for a box with the master key
          --key-file FILE a file with lines GEOSERVICE_APP_ID=… and GEOSERVICE_MASTER_KEY=…
        """

    private enum Picture {
        case tile(TileOrder)
        case box(PictureCommand)
    }

    private let picture: Picture
    private let file: String
    private let target: DataTarget

    init(_ arguments: [String]) throws {
        let flags = try Flags(
            Flags.long(arguments),
            valued: [
                "--layer", "--tile", "--bbox", "--zoom", "--size", "--style", "--scale",
                "--palette", "--data", "--url", "--key-file", "--output",
            ])
        if let word = flags.words.first {
            throw UsageError(description: "render takes no \(word)")
        }
        file = try flags.required("--output", as: "-o FILE.png")
        let layer = try flags.required("--layer", as: "--layer NAME")
        picture = try RenderCommand.picture(layer, flags)
        target = try DataTarget(flags)
    }

    private static func picture(_ layer: String, _ flags: Flags) throws -> Picture {
        let box = ["bbox", "zoom", "size"]
        do throws(SettingError) {
            if flags["--bbox"] != nil {
                guard flags["--tile"] == nil else {
                    throw SettingError("--tile", "and --bbox exclude one another")
                }
                let items = (box + ["style", "scale", "palette"]).compactMap { name in
                    flags["--" + name].map { (name, $0) }
                }
                return .box(try PictureCommand(layer: layer, items: items))
            }
            for name in box where flags["--" + name] != nil {
                throw SettingError("--" + name, "belongs to --bbox")
            }
            guard let tile = flags["--tile"] else {
                throw SettingError("--tile", "Z/X/Y or --bbox W,S,E,N is missing")
            }
            return .tile(
                try TileOrder(
                    layer: layer, tile: tile, style: flags["--style"], scale: flags["--scale"],
                    palette: flags["--palette"]))
        } catch {
            throw UsageError(description: "\(error)")
        }
    }

    func run() throws -> Int32 {
        let bytes = try drawn()
        try OutputFile(file).write(bytes)
        return 0
    }

    private func drawn() throws -> [UInt8] {
        // The world map needs no data; a server that is named may have another one.
        if !target.isRemote {
            switch picture {
            case .tile(let order) where order.isBasemap:
                return try order.basemap(assets: target.assets)
            case .box(let command) where command.isBasemap:
                return try command.basemap(assets: target.assets)
            case .tile, .box: break
            }
        }
        switch try target.holder() {
        case .server(let server):
            switch picture {
            case .tile(let order): return try server.tile(order)
            case .box(let command): return try server.picture(command)
            }
        case .nobody(let service):
            defer { service.close() }
            switch picture {
            case .tile(let order): return try service.tile(order, assets: target.assets)
            case .box(let command): return try service.picture(command, assets: target.assets)
            }
        }
    }
}
