import GeoIndex
import Glibc

/// The page and the map library, read once at the start: no request ever names a path.
struct StaticFiles: Sendable {
    private static let fileLimitBytes = 4 << 20
    private static let filesLimit = 500
    private static let policy =
        "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; object-src 'none'; "
        + "base-uri 'none'; frame-ancestors 'none'"

    private let files: [(path: String, response: CachedResponse)]

    /// Reads all files.
    ///
    /// - Throws: ``SettingError`` when one cannot be read or is too large.
    init(_ assets: Assets) throws {
        var files: [(path: String, response: CachedResponse)] = []
        for (folder, prefix) in [(assets.web, ""), (assets.leaflet, "/leaflet")] {
            for name in try StaticFiles.names(in: folder, depth: 3) {
                guard let type = StaticFiles.type(of: name),
                    let bytes = try SmallFile.read(
                        folder + "/" + name, limitBytes: StaticFiles.fileLimitBytes)
                else { continue }
                var response = Response.tagged(type, bytes)
                if name.hasSuffix(".html") {
                    response.headers.append(
                        HeaderField("Content-Security-Policy", StaticFiles.policy))
                }
                let cached = CachedResponse(response)
                files.append((prefix + "/" + name, cached))
                if prefix.isEmpty && name == "index.html" { files.append(("/", cached)) }
            }
        }
        self.files = files
    }

    func register(in router: inout Router) {
        for file in files {
            router.add(.get, file.path) { _ in .reply(Response(file.response)) }
        }
    }

    private static func type(of name: String) -> MediaType? {
        switch name.split(separator: ".").last {
        case "html": .html
        case "css": .css
        case "js", "mjs": .javaScript
        case "svg": .svg
        case "png": .png
        case "json", "webmanifest": .json
        default: nil
        }
    }

    /// The files below a folder, as paths relative to it.
    private static func names(in folder: String, depth: Int) throws(SettingError) -> [String] {
        guard let directory = unsafe opendir(folder) else {
            throw SettingError(folder, "cannot be read")
        }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard !name.hasPrefix("."), names.count < filesLimit else { continue }
            var status = stat()
            guard unsafe stat(folder + "/" + name, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                guard depth > 0 else { continue }
                names += try StaticFiles.names(in: folder + "/" + name, depth: depth - 1)
                    .map { name + "/" + $0 }
            } else {
                names.append(name)
            }
        }
        return names.sorted()
    }
}
