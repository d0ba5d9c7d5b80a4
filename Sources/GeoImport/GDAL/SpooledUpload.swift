import Glibc

/// A file with a name in a folder of its own, for a program that has to open it; both are gone when
/// the value is.
struct SpooledUpload: ~Copyable {
    private let folder: String
    private let path: String
    private var file: ByteFile?

    /// Creates an empty file.
    ///
    /// - Throws: ``ImportError/file(operation:code:)``.
    init(inDirectory directory: String, format: ImportFormat) throws(ImportError) {
        let folder = try SpooledUpload.makeFolder(inDirectory: directory)
        let path = folder + (format == .geopackage ? "/upload.gpkg" : "/upload.shp.zip")
        self.init(folder: folder, path: path, file: try SpooledUpload.makeFile(path, in: folder))
    }

    private init(folder: String, path: String, file: consuming ByteFile) {
        self.folder = folder
        self.path = path
        self.file = .some(file)
    }

    private static func makeFile(
        _ path: String, in folder: String
    ) throws(ImportError) -> ByteFile {
        do throws(ImportError) {
            return try ByteFile(creating: path)
        } catch {
            unsafe rmdir(folder)
            throw error
        }
    }

    private static func makeFolder(inDirectory directory: String) throws(ImportError) -> String {
        var template = Array((directory + "/upload-XXXXXX").utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer { name in
            unsafe name.baseAddress.flatMap { unsafe mkdtemp($0) } != nil
        }
        guard isMade else { throw .file(operation: "created", code: errno) }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        // What a library keeps beside a database.
        for suffix in ["", "-wal", "-shm", "-journal"] { unsafe unlink(path + suffix) }
        unsafe rmdir(folder)
    }

    /// Writes bytes at the end.
    mutating func append(_ bytes: Span<UInt8>) throws(ImportError) { try file?.append(bytes) }

    /// Ends the writing and opens the file as lines of GeoJSON.
    mutating func converted(
        format: ImportFormat, crs: CRSCode?
    ) throws(ImportError) -> ByteFile {
        file = nil
        return try GDALConversion.open(path, format: format, crs: crs, directory: folder)
    }
}
