import Glibc

/// Shapefiles and GeoPackages as lines of GeoJSON, by GDAL's `ogr2ogr` where it is installed.
///
/// GDAL turns the coordinates into WGS 84 by itself. All layers of a file come after another.
package enum GDALConversion {
    /// Where the program is looked for.
    private static let folders = ["/usr/bin", "/usr/local/bin"]
    /// The drivers that may look at a file; any other could follow names in it to other files.
    private static let drivers: Set<String> = ["ESRI Shapefile", "GPKG", "GeoJSONSeq"]

    /// Opens a file, or a folder of shapefiles, to be read as ``ImportFormat/geojsonl``.
    ///
    /// - Parameters:
    ///   - path: A name that the operator has given, or that of a file of our own: never one from a
    ///     request.
    ///   - crs: The reference system, in the place of the one that the file states.
    ///   - directory: Where complaints of the program wait.
    /// - Throws: ``ImportError/noConverter``; ``ImportError/file(operation:code:)`` when there is no
    ///   such file; at its end ``ImportError/conversion(reason:)``.
    package static func open(
        _ path: String, format: ImportFormat, crs: CRSCode?, directory: String = "/tmp"
    ) throws(ImportError) -> ByteFile {
        guard
            let program = folders.lazy.map({ $0 + "/ogr2ogr" })
                .first(where: { unsafe access($0, X_OK) == 0 })
        else { throw .noConverter }
        // An absolute name is no option, and none of GDAL's own kinds of names.
        guard let resolved = unsafe realpath(path, nil) else {
            throw .file(operation: "opened", code: errno)
        }
        defer { unsafe free(resolved) }
        let source = try name(unsafe String(cString: resolved), format)
        var arguments = ["-f", "GeoJSONSeq", "/vsistdout/", source]
        if let crs { arguments += ["-s_srs", crs.text, "-t_srs", CRSCode.wgs84.text] }
        let child = try ChildProgram(
            program, arguments,
            environment: environment + ["GDAL_SKIP=\(try others(program, directory))"],
            directory: directory)
        return ByteFile(output: child)
    }

    private static let environment = [
        "PATH=/usr/bin:/bin", "LC_ALL=C", "PROJ_NETWORK=OFF", "GDAL_DRIVER_PATH=disable",
        "CPL_CURL_ENABLE_VSIMEM=NO", "GDAL_CACHEMAX=64", "GDAL_NUM_THREADS=1",
    ]

    /// What GDAL calls the file, whose first bytes must be those of its format.
    private static func name(
        _ path: String, _ format: ImportFormat
    ) throws(ImportError) -> String {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            throw .file(operation: "opened", code: errno)
        }
        if status.st_mode & S_IFMT == S_IFDIR {
            guard format == .shapefile else {
                throw .conversion(reason: "it is a folder")
            }
            return path
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .conversion(reason: "it is no regular file")
        }
        var file = try ByteFile(opening: path)
        var first: [UInt8] = []
        _ = try file.readPiece { (bytes) throws(ImportError) in
            first.append(bytes, 0..<min(16, bytes.count))
        }
        let isZip = first.starts(with: Array("PK".utf8))
        switch format {
        case .geopackage where first.elementsEqual(Array("SQLite format 3\0".utf8)): return path
        case .geopackage: throw .conversion(reason: "it is no GeoPackage")
        case .shapefile where isZip: return "/vsizip/{\(path)}"
        // The file code of a main file, 9994 (ESRI Shapefile Technical Description, 1998).
        case .shapefile where first.starts(with: [0, 0, 0x27, 0x0a]): return path
        default:
            throw .conversion(
                reason: "it is neither the .shp file nor a zip archive of a shapefile")
        }
    }

    /// The names of all drivers but ``drivers``, as GDAL's setting takes them.
    private static func others(
        _ program: String, _ directory: String
    ) throws(ImportError) -> String {
        let child = try ChildProgram(
            program, ["--formats"], environment: environment, directory: directory)
        var file = ByteFile(output: child)
        var list: [UInt8] = []
        while try file.readPiece({ (bytes) throws(ImportError) in
            list.append(bytes, 0..<bytes.count)
        }), list.count < 1 << 20 {}
        // `  ESRI Shapefile -vector- (rw+v): ESRI Shapefile`
        return String(decoding: list, as: UTF8.self).split(separator: "\n")
            .compactMap { line in
                line.hasPrefix("  ")
                    ? line.firstRange(of: " -").map { line[..<$0.lowerBound] } : nil
            }
            .map { String($0.drop { $0 == " " }) }
            .filter { !drivers.contains($0) && !$0.isEmpty }.joined(separator: ",")
    }
}
