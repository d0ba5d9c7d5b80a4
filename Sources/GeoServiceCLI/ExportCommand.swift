import GeoService

/// `geoservice export`: a layer's objects or tiles as one file.
struct ExportCommand: Subcommand {
    static let usage = """
        usage: geoservice export --layer NAME -o FILE [OPTIONS]

        Puts a layer into one file: its objects as GeoJSON or CSV, from which an import makes the
        same ones, or its tiles as PMTiles or MBTiles: those on which something shows, the same as a
        server sends. While a server holds the data directory the file is made by it; else by this
        command. An archive of tiles that was killed goes on where it was when it is started again
        and nothing has changed.

          --layer NAME    the layer
          -o FILE         where it goes; it has its name only when it is whole; - is the standard
                          output, for objects alone
          --format F      geojson, geojsonl, csv, pmtiles or mbtiles (default: by the file's name)
          --bbox W,S,E,N  only objects in this box, or tiles that touch it, in degrees; W > E
                          crosses 180°
          --kind A,B      only objects of these kinds
          --since T       only objects of this time or later: 2026-05-04T03:02:01.000Z, 24h, 7d
          --until T       only objects before this time
          --where JSON    only objects that a condition holds for, such as {"price":{"$lt":5}}
          --tiles T       vector (default) or raster
          --minzoom N     the first zoom (default 0)
          --maxzoom N     the last zoom (default 14), 22 at most
          --style S       of raster tiles: clusters (default), points or heat
          --palette P     of heat: the colours
          --scale N       of raster tiles: 1 for 256 pixels (default), 2 for 512
          --overwrite     replace a file of that name
          --data DIR      where everything is kept (default ./geodata)
          --url URL       ask a server instead, with the master key
          --key-file FILE a file with lines GEOSERVICE_APP_ID=… and GEOSERVICE_MASTER_KEY=…

        The exit status is 0 when the file is there, 1 when it could not be made, 2 when the
        command line makes no sense.

        example: geoservice export --layer Spots --maxzoom 12 -o spots.pmtiles
        """

    private static let parameters = [
        "bbox", "kind", "maxzoom", "minzoom", "palette", "scale", "since", "style", "tiles",
        "until", "where",
    ]

    /// What is made.
    private enum Order {
        case tiles(ExportOrder)
        case objects(ObjectExportOrder)
    }

    private let order: Order
    private let file: String
    private let replaces: Bool
    private let target: DataTarget

    init(_ arguments: [String]) throws {
        let flags = try Flags(
            Flags.long(arguments),
            valued: Set(ExportCommand.parameters.map { "--" + $0 }).union([
                "--layer", "--format", "--output", "--data", "--url", "--key-file",
            ]), bare: ["--overwrite"])
        if let word = flags.words.first {
            throw UsageError(description: "export takes no \(word)")
        }
        guard (flags["--overwrite"] ?? "").isEmpty else {
            throw UsageError(description: "--overwrite takes no value")
        }
        replaces = flags["--overwrite"] != nil
        let layer = try flags.required("--layer", as: "--layer NAME")
        file = try flags.required("--output", as: "-o FILE")
        guard !file.hasSuffix("/"), !file.isEmpty else {
            throw UsageError(description: "-o must name a file, and \(file) is none")
        }
        let format = try flags["--format"] ?? ExportCommand.format(of: file)
        let items = ExportCommand.parameters.compactMap { name in
            flags["--" + name].map { (name, $0) }
        }
        if file == "-", ObjectFormat(rawValue: format) == nil {
            throw UsageError(
                description: "-o must name a file: the front of an archive is written last, so "
                    + "that it cannot go to the standard output")
        }
        do throws(SettingError) {
            if let format = ObjectFormat(rawValue: format) {
                order = .objects(
                    try ObjectExportOrder(layer: layer, format: format, items: items))
            } else {
                order = .tiles(
                    try ExportOrder(layer: layer, items: [("format", format)] + items))
            }
        } catch {
            throw UsageError(description: "\(error)")
        }
        target = try DataTarget(flags)
    }

    private static func format(of file: String) throws(UsageError) -> String {
        let name = file.split(separator: "/").last ?? ""
        let ending = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? ""
        if ArchiveFormat(rawValue: ending) != nil { return ending }
        switch ending {
        case "csv", "geojson", "geojsonl": return ending
        case "json": return "geojson"
        case "ndjson", "jsonl", "geojsons", "geojsonseq", "ndgeojson": return "geojsonl"
        default:
            throw UsageError(
                description: "--format is needed, geojson, geojsonl, csv, pmtiles or mbtiles: the "
                    + "name \(file) does not say which")
        }
    }

    func run() throws -> Int32 {
        let bar = ProgressBar(
            file == "-" ? "export" : String(file.split(separator: "/").last ?? "export"))
        do {
            let made =
                switch order {
                case .tiles(let order): try write(order, bar)
                case .objects(let order): try write(order, bar)
                }
            bar.end()
            // On the standard output there is the file itself.
            (file == "-" ? Output.error : .standard).write(Array("\(file): \(made)\n".utf8))
            return 0
        } catch let error as ArchiveError {
            bar.end()
            throw ExportFailure(description: "\(file): \(error)")
        } catch {
            bar.end()
            throw error
        }
    }

    /// Makes an archive, and says what is in it.
    private func write(_ order: ExportOrder, _ bar: ProgressBar) throws -> String {
        switch try target.holder() {
        case .server(let server):
            return try server.export(order, to: file, replaces: replaces) { bar.show($0) }.asBytes
        case .nobody(let service):
            defer { service.close() }
            let result = try service.export(
                order, to: file, replaces: replaces, assets: target.assets,
                progress: { bar.show($0) }, notice: { Command.complain("\(file): \($0)") })
            return "\(result.tiles.grouped) tiles, \(result.contents.grouped) of them different, "
                + result.bytes.asBytes
        }
    }

    /// Writes objects, and says how many.
    private func write(_ order: ObjectExportOrder, _ bar: ProgressBar) throws -> String {
        let path = file == "-" ? nil : file
        func print(_ bytes: [UInt8]) throws {
            let code = Output.standard.write(bytes)
            guard code == 0 else { throw ArchiveError.file(code: code) }
        }
        switch try target.holder() {
        case .server(let server):
            return try server.export(
                order, to: path, replaces: replaces, progress: { bar.show($0) }, take: print
            ).asBytes
        case .nobody(let service):
            defer { service.close() }
            let result = try service.export(
                order, to: path, replaces: replaces, progress: { bar.show($0) }, take: print)
            return "\(result.objects.grouped) objects, \(result.bytes.asBytes)"
        }
    }
}

/// Why there is no archive, with its name.
private struct ExportFailure: Error, CustomStringConvertible {
    let description: String
}

extension ProgressBar {
    /// Shows how far the drawing of an archive is.
    func show(_ progress: ExportProgress) {
        let total = max(1, progress.total)
        show(
            share: Double(progress.visited) / Double(total),
            // What was drawn before took no time now.
            done: Double(progress.visited - progress.resumed),
            left: Double(progress.total - progress.visited),
            what: "\(progress.visited.grouped) of \(progress.total.grouped) tiles", unit: "tiles/s")
    }

    /// Shows how far the writing of objects is.
    func show(_ progress: ObjectExportProgress) {
        let total = max(1, progress.total)
        show(
            share: Double(progress.visited) / Double(total), done: Double(progress.visited),
            left: Double(progress.total - progress.visited),
            what: "\(progress.visited.grouped) of \(progress.total.grouped) objects",
            unit: "objects/s")
    }

    /// Shows how much of an archive came from a server.
    func show(_ progress: DownloadProgress) {
        let share = progress.wholeBytes.map { Double(progress.bytes) / Double(max(1, $0)) }
        show(
            share: share, done: Double(progress.bytes),
            left: Double((progress.wholeBytes ?? 0) - progress.bytes),
            what: progress.bytes.asBytes, unit: nil)
    }
}

extension Int {
    /// The number of bytes for a person: `12.3 MB`.
    var asBytes: String {
        let units = ["bytes", "kB", "MB", "GB", "TB"]
        var tenths = self * 10
        var unit = 0
        while tenths >= 10_000, unit + 1 < units.count {
            tenths /= 1_000
            unit += 1
        }
        return unit == 0 ? "\(self) bytes" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
