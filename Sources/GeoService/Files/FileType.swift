/// How a kind of file is sent: its media type, and whether a browser may show it.
struct FileType: Hashable, Sendable {
    /// The value of `Content-Type`.
    let mediaType: String
    /// Whether a browser may show it in place; else it is saved.
    let isInline: Bool

    private init(_ mediaType: String, inline: Bool) {
        self.mediaType = mediaType
        isInline = inline
    }

    /// How a file is sent, by what its bytes are and, for documents, by its extension.
    ///
    /// Nothing that a browser would run or interpret, such as HTML, SVG, XML and scripts, is shown
    /// in place, whatever it is called.
    init(_ kind: FileKind, extension ending: String?) {
        switch kind {
        case .jpeg: self.init("image/jpeg", inline: true)
        case .png: self.init("image/png", inline: true)
        case .gif: self.init("image/gif", inline: true)
        case .webp: self.init("image/webp", inline: true)
        case .heif: self.init("image/heif", inline: false)
        case .tiff: self.init("image/tiff", inline: false)
        case .mp4: self.init("video/mp4", inline: true)
        case .quickTime: self.init("video/quicktime", inline: true)
        case .webm: self.init("video/webm", inline: true)
        case .matroska: self.init("video/x-matroska", inline: true)
        case .ogg: self.init(ending == "ogv" ? "video/ogg" : "audio/ogg", inline: true)
        case .mp3: self.init("audio/mpeg", inline: true)
        case .aac: self.init("audio/aac", inline: true)
        case .wav: self.init("audio/wav", inline: true)
        case .flac: self.init("audio/flac", inline: true)
        case .m4a: self.init("audio/mp4", inline: true)
        case .pdf: self.init("application/pdf", inline: false)
        case .gzip: self.init("application/gzip", inline: false)
        case .zip, .html, .xml, .text, .other: self = Self.document(kind, ending)
        }
    }

    /// Documents by extension, each with the kind that its bytes must be.
    private static let documents: [String: (kind: FileKind, mediaType: String)] = [
        "txt": (.text, "text/plain; charset=utf-8"), "log": (.text, "text/plain; charset=utf-8"),
        "md": (.text, "text/markdown; charset=utf-8"), "csv": (.text, "text/csv; charset=utf-8"),
        "json": (.text, "application/json"), "geojson": (.text, "application/geo+json"),
        "js": (.text, "text/javascript; charset=utf-8"), "css": (.text, "text/css; charset=utf-8"),
        "ics": (.text, "text/calendar; charset=utf-8"), "vcf": (.text, "text/vcard; charset=utf-8"),
        "svg": (.xml, "image/svg+xml"), "xml": (.xml, "application/xml"),
        "gpx": (.xml, "application/gpx+xml"), "kml": (.xml, "application/vnd.google-earth.kml+xml"),
        "zip": (.zip, "application/zip"),
        "kmz": (.zip, "application/vnd.google-earth.kmz"),
        "docx": (
            .zip, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
        ),
        "xlsx": (.zip, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        "pptx": (
            .zip, "application/vnd.openxmlformats-officedocument.presentationml.presentation"
        ),
    ]

    private static func document(_ kind: FileKind, _ ending: String?) -> FileType {
        if let ending, let known = documents[ending], known.kind == kind {
            return FileType(known.mediaType, inline: ["txt", "log"].contains(ending))
        }
        return switch kind {
        case .text: FileType("text/plain; charset=utf-8", inline: true)
        case .zip: FileType("application/zip", inline: false)
        default: FileType("application/octet-stream", inline: false)
        }
    }

    /// The extension that a file without one is given; by what its bytes are, else by the type that
    /// the client says.
    static func fileExtension(for kind: FileKind, claimed: String?) -> String? {
        switch kind {
        case .jpeg, .heif, .tiff: "jpg"
        case .png: "png"
        case .gif: "gif"
        case .webp: "webp"
        case .mp4: "mp4"
        case .quickTime: "mov"
        case .webm: "webm"
        case .matroska: "mkv"
        case .ogg: "ogg"
        case .mp3: "mp3"
        case .aac: "aac"
        case .wav: "wav"
        case .flac: "flac"
        case .m4a: "m4a"
        case .pdf: "pdf"
        case .gzip: "gz"
        case .zip, .html, .xml, .text, .other:
            documents.filter { $0.value.mediaType.split(separator: ";")[0] == claimed ?? "" }
                .keys.min()
        }
    }
}
