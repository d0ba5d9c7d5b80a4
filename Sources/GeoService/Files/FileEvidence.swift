/// Whether what a file is called goes with what its bytes are.
struct FileEvidence: Sendable {
    let kind: FileKind
    let order: FileIntake.Order

    private static let pages = ["html", "htm", "xhtml", "xht", "shtml", "shtm", "mhtml", "hta"]
    private static let pictures = [
        "jpg", "jpeg", "jpe", "jfif", "png", "gif", "webp", "heic", "heif", "avif", "tif", "tiff",
    ]
    /// What a browser or another program would run.
    private static let programs = [
        "js", "mjs", "css", "svg", "svgz", "xml", "xsl", "php", "phtml", "jar", "pdf", "zip", "swf",
        "exe", "sh", "bat", "cmd", "wasm",
    ]

    /// Refuses pages of any name, pictures that are none, and pictures that are called something
    /// that is run.
    ///
    /// - Throws: ``ParseError`` 130.
    func check() throws(ParseError) {
        let ending = FileName.fileExtension(of: order.given)
        if let ending, Self.pages.contains(ending) {
            throw ParseError(.fileSave, "File upload of extension \(ending) is disabled.")
        }
        let claimed = order.claimedType ?? ""
        if kind == .html || claimed == "text/html" || claimed == "application/xhtml+xml" {
            throw ParseError(.fileSave, "File upload of HTML is disabled.")
        }
        switch (kind.family, ending) {
        case (.picture, let ending?) where Self.programs.contains(ending):
            throw ParseError(
                .fileSave, "the name says \(ending), but the bytes are a picture (\(kind))")
        case (.media, let ending?), (.document, let ending?):
            guard !Self.pictures.contains(ending) else {
                throw ParseError(
                    .fileSave,
                    "the name says a picture (\(ending)), but the bytes are no JPEG, PNG, GIF, "
                        + "WebP, HEIF or TIFF")
            }
        default: break
        }
    }
}
