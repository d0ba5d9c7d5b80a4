import GeoService

/// `geoservice render`: one tile into a file.
struct RenderCommand: Subcommand {
    static let usage = """
        usage: geoservice render --layer NAME --tile Z/X/Y -o FILE.png [OPTIONS]

        Draws one tile of a layer, the same picture as a server sends. While a server holds the
        data directory it is asked for the tile.

          --layer NAME    the layer
          --tile Z/X/Y    the tile: zoom, column, row from the north
          -o FILE.png     where the picture goes
          --style S       clusters (default), points or heat
          --scale N       1 for 256 pixels (default), 2 for 512
          --palette P     the colours of heat
          --data DIR      where everything is kept (default ./geodata)
        """

    private let order: TileOrder
    private let file: String
    private let directory: String
    private let assets: String?

    init(_ arguments: [String]) throws {
        // `-o` is the one short option there is.
        let long = arguments.map { $0 == "-o" ? "--output" : $0 }
        let flags = try Flags(
            long,
            valued: ["--layer", "--tile", "--style", "--scale", "--palette", "--data", "--output"])
        if let word = flags.words.first {
            throw UsageError(description: "render takes no \(word)")
        }
        file = try flags.required("--output", as: "-o FILE.png")
        let settings = try Settings(flags)
        directory = settings.dataDirectory
        assets = settings.assets
        let layer = try flags.required("--layer", as: "--layer NAME")
        let tile = try flags.required("--tile", as: "--tile Z/X/Y")
        do throws(SettingError) {
            order = try TileOrder(
                layer: layer, tile: tile, style: flags["--style"], scale: flags["--scale"],
                palette: flags["--palette"])
        } catch {
            throw UsageError(description: "\(error)")
        }
    }

    func run() throws -> Int32 {
        let picture: [UInt8]
        switch try DataHolder(of: directory, mustExist: true) {
        case .server(let server): picture = try server.tile(order)
        case .nobody(let service):
            defer { service.close() }
            picture = try service.tile(order, assets: assets)
        }
        try OutputFile(file).write(picture)
        return 0
    }
}
