import CVips

/// What the program does when it was started to decode one picture: descriptor 0 is the picture,
/// 1 takes the new one, 3 takes a report.
package enum PictureDecoder {
    /// The command that means this; for the service itself, not for people.
    package static let command = "decode-picture"

    /// The most pixels of a picture, all images of an animation together.
    static let maximumPixels: Int64 = 100_000_000

    /// The limits of the process. Decoded, the largest picture takes 300 MB (3 bytes a pixel), and
    /// as much again while it is turned.
    private static var limits: cvips_limits {
        cvips_limits(
            memory_bytes: 1_536 << 20, cpu_seconds: 25, output_bytes: 64 << 20, descriptors: 64)
    }

    private static let formats: [FileKind: Int32] = [
        .jpeg: Int32(cvips_jpeg), .png: Int32(cvips_png), .gif: Int32(cvips_gif),
        .webp: Int32(cvips_webp), .heif: Int32(cvips_heif), .tiff: Int32(cvips_tiff),
    ]

    /// The kind of a format's number.
    static func kind(of format: Int32) -> FileKind? {
        formats.first { $0.value == format }?.key
    }

    /// Decodes one picture.
    ///
    /// - Parameter arguments: ``command``, `convert` or `shrink`, the kind, the width.
    /// - Returns: The exit status: a number of `CVips.h`, or 2 for other arguments.
    package static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 4, let kind = FileKind(rawValue: arguments[2]),
            let format = formats[kind], let width = Int32(arguments[3])
        else { return 2 }
        var limits = limits
        guard unsafe cvips_confine(&limits) == 0 else { return Int32(cvips_no_library) }
        var report = cvips_report()
        let status =
            switch arguments[1] {
            case "convert": unsafe cvips_convert(0, 1, format, maximumPixels, &report)
            case "shrink": unsafe cvips_shrink(0, 1, format, width, &report)
            default: 2 as Int32
            }
        guard Int(status) == cvips_ok else { return status }
        let isSent = unsafe cvips_send_report(3, &report)
        return isSent ? status : Int32(cvips_not_writable)
    }
}
