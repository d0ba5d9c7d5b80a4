import GeoImport
import GeoService
import JSONText

/// `geoservice import`: files into a layer.
struct ImportCommand: Subcommand {
    static let usage = """
        usage: geoservice import FILE… --layer NAME [OPTIONS]

        Puts the places of files into a layer, which is made when it is not there. FILE - is the
        standard input. While a server holds the data directory the files go through it.

          --layer NAME    the layer: letters, digits and underscores
          --format F      csv, geojson, geojsonl, gpx, osm, shapefile or geopackage
                          (default: by the file's name; the last two need GDAL's ogr2ogr)
          --lon COL       the column of the longitude, by name or number (default: guessed)
          --lat COL       the column of the latitude
          --wkt COL       the column of geometries in Well-Known Text
          --crs EPSG:N    the coordinates' reference system (default: degrees in WGS 84)
          --no-header     the first line is a row; the columns are column1, column2 …
          --header        the first line names the columns (default: guessed)
          --delimiter D   comma, semicolon, tab or pipe (default: guessed)
          --encoding E    such as windows-1252 (default: guessed)
          --id COL        the column or property of the id (default id, or the feature's own):
                          importing again then updates and doubles nothing
          --kind COL      the column or property that becomes the field kind
          --tags FILTER   which objects of OpenStreetMap data: amenity,shop=bakery|butcher
                          (default: the usual places to go to)
          --acl JSON      who may read and write the objects of all rows (default: everybody may
                          read new ones; those that are there keep what they have)
          --sync          also remove what the file does not name any more
          --dry-run       show the first objects and the report, but keep nothing
          --errors FILE   write every row that was left out to a file, as line<tab>reason
          --data DIR      where everything is kept (default ./geodata; made when missing)
          --url URL       send the files to a server instead, with the master key
          --key-file FILE a file with lines GEOSERVICE_APP_ID=… and GEOSERVICE_MASTER_KEY=…

        The exit status is 0 when all rows went in, 3 when some were left out, 1 when an import
        failed, 2 when the command line makes no sense.
        """

    private let files: [(path: String, format: ImportFormat)]
    private let order: ImportOrder
    private let errorsFile: String?
    private let settings: Settings
    private let url: String?

    init(_ arguments: [String]) throws {
        let flags = try Flags(
            arguments,
            valued: [
                "--layer", "--format", "--lon", "--lat", "--id", "--kind", "--acl", "--errors",
                "--data", "--url", "--key-file", "--wkt", "--crs", "--delimiter", "--encoding",
                "--tags",
            ], bare: ["--sync", "--dry-run", "--header", "--no-header"])
        guard !flags.words.isEmpty else {
            throw UsageError(description: "import needs a FILE, or - for the standard input")
        }
        for bare in ["--sync", "--dry-run", "--header", "--no-header"]
        where !(flags[bare] ?? "").isEmpty {
            throw UsageError(description: "\(bare) takes no value")
        }
        guard flags["--url"] == nil || flags["--data"] == nil else {
            throw UsageError(description: "--data and --url exclude one another")
        }
        guard flags.words.count(where: { $0 == "-" }) < 2 else {
            throw UsageError(description: "the standard input can be read only once")
        }
        files = try ImportCommand.formats(flags)
        var options = try ImportCommand.tableOptions(flags)
        options.lonColumn = flags["--lon"]
        options.latColumn = flags["--lat"]
        options.idColumn = flags["--id"]
        options.kindColumn = flags["--kind"]
        if let text = flags["--tags"] {
            do throws(OSMTagFilterError) {
                options.tags = try OSMTagFilter(text)
            } catch {
                throw UsageError(description: "--tags \(error)")
            }
        }
        guard flags["--sync"] == nil || files.count == 1 else {
            throw UsageError(
                description: "--sync takes one FILE: what is not in it is removed from the layer")
        }
        let layer = try flags.required("--layer", as: "--layer NAME")
        do {
            var order = try ImportOrder(
                layer: layer, options: options,
                sync: flags["--sync"] != nil, dryRun: flags["--dry-run"] != nil)
            if let access = flags["--acl"] { try order.setAccess(access) }
            self.order = order
        } catch let error as AccessTextError {
            throw UsageError(description: "--acl \(error)")
        } catch {
            throw UsageError(description: "--layer \(error)")
        }
        errorsFile = flags["--errors"]
        url = flags["--url"]
        settings = try Settings(flags)
    }

    private static func tableOptions(_ flags: Flags) throws(UsageError) -> ImportOptions {
        guard flags["--header"] == nil || flags["--no-header"] == nil else {
            throw UsageError(description: "--header and --no-header exclude one another")
        }
        var options = ImportOptions()
        if flags["--header"] != nil { options.hasHeader = true }
        if flags["--no-header"] != nil { options.hasHeader = false }
        for name in ["wkt", "crs", "delimiter", "encoding"] {
            guard let value = flags["--\(name)"] else { continue }
            do throws(TableOptionError) {
                try options.set(name, value)
            } catch {
                throw UsageError(description: "--\(name) \(error)")
            }
        }
        return options
    }

    private static func formats(
        _ flags: Flags
    ) throws(UsageError) -> [(path: String, format: ImportFormat)] {
        var stated: ImportFormat?
        if let name = flags["--format"] {
            stated = ImportFormat(rawValue: name)
            guard stated != nil else {
                throw UsageError(
                    description: "--format must be csv, geojson, geojsonl, gpx, osm, shapefile or "
                        + "geopackage")
            }
        }
        var files: [(path: String, format: ImportFormat)] = []
        for path in flags.words {
            guard let format = stated ?? ImportFormat(fileName: path) else {
                throw UsageError(
                    description: "--format is needed: the name \(path) does not say what it is")
            }
            files.append((path, format))
        }
        return files
    }

    func run() throws -> Int32 {
        let report = ImportReportPrinter(errorsFile: try errorsFile.map { try OutputFile($0) })
        let target = try self.target()
        defer { target.close() }
        for file in files {
            let name = file.path == "-" ? "standard input" : file.path
            let bar = ProgressBar(String(name.split(separator: "/").last ?? "file"))
            do {
                var order = order
                var format = file.format
                var input: ByteFile
                if file.path == "-" {
                    input = ByteFile.standardInput()
                } else if format.isConverted {
                    input = try GDALConversion.open(
                        file.path, format: format, crs: order.options.crs)
                    // It gives lines of GeoJSON in WGS 84.
                    format = .geojsonl
                    order.options.crs = nil
                } else {
                    input = try ByteFile(opening: file.path)
                }
                order = order.of(fileWith: try input.fingerprint())
                let result = try target.importFile(
                    input, format: format, order: order, progress: bar.show,
                    onRejection: report.isKeepingErrors ? report.keep : nil)
                bar.end()
                try report.print(result, of: files.count > 1 ? name : nil, order: order)
            } catch {
                bar.end()
                throw FileError(description: "\(name): \(error)")
            }
        }
        return report.hasRejections ? 3 : 0
    }

    private func target() throws -> ImportTarget {
        if let url {
            return .server(
                try RemoteService(url: url, appID: settings.appID, masterKey: settings.masterKey))
        }
        return try ImportTarget(directory: settings.dataDirectory, isDryRun: order.dryRun)
    }
}

/// What went wrong with a file, with its name.
private struct FileError: Error, CustomStringConvertible {
    let description: String
}

/// Where the files go.
private enum ImportTarget {
    case server(RemoteService)
    case here(OfflineService)

    init(directory: String, isDryRun: Bool) throws {
        if isDryRun && !DataHolder.exists(directory) {
            self = .here(try OfflineService.scratch())
            return
        }
        switch try DataHolder(of: directory, mustExist: false) {
        case .server(let server): self = .server(server)
        case .nobody(let service): self = .here(service)
        }
    }

    func importFile(
        _ file: consuming ByteFile, format: ImportFormat, order: ImportOrder,
        progress: @escaping (ImportProgress) -> Void,
        onRejection: ((_ line: Int, _ reason: String) -> Void)?
    ) throws -> ImportResult {
        switch self {
        case .server(let server):
            let result = try server.importFile(
                file, format: format, order: order, progress: progress)
            for error in result.report.errors { onRejection?(error.line, error.reason) }
            return result
        case .here(let service):
            return try service.importFile(
                file, format: format, order: order, progress: progress, onRejection: onRejection)
        }
    }

    func close() {
        if case .here(let service) = self { service.close() }
    }
}
