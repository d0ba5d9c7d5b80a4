import CVips

/// The process that decodes a picture: this program again, with the arguments of
/// ``PictureDecoder``. Whatever a picture does to its decoder ends with that process.
enum PictureChild {
    enum Task {
        case convert
        case shrink(width: Int)
    }

    struct Report {
        let kind: FileKind
        let size: PictureSize
    }

    /// How long one may take, in milliseconds; of the processor see ``PictureDecoder/limits``.
    private static let timeoutMilliseconds: Int32 = 30_000

    /// Runs one and waits for its end.
    ///
    /// - Throws: ``ParseError`` 130 for what cannot be decoded within the limits; ``FileError``.
    static func run(
        _ task: Task, _ kind: FileKind, from input: Int32, to output: Int32
    ) throws -> Report {
        var report = cvips_report()
        let (name, width) =
            switch task {
            case .convert: ("convert", 0)
            case .shrink(let width): ("shrink", width)
            }
        let status = unsafe cvips_run_child(
            PictureDecoder.command, name, kind.rawValue, String(width), input, output,
            timeoutMilliseconds, &report)
        switch Int(status) {
        case cvips_ok:
            guard let kind = PictureDecoder.kind(of: report.format), report.width > 0,
                report.height > 0
            else { throw refusal("cannot be decoded") }
            return Report(
                kind: kind,
                size: PictureSize(width: Int(report.width), height: Int(report.height)))
        case cvips_no_library, cvips_not_started:
            Log.warning("pictures cannot be decoded: libvips or a process is missing")
            throw Problem(
                .serviceUnavailable, "this service cannot decode pictures now",
                headers: [HeaderField("Retry-After", "60")])
        case cvips_not_writable: throw FileError.noRoom
        case cvips_too_many_pixels:
            throw refusal("has more than \(PictureDecoder.maximumPixels / 1_000_000) megapixels")
        case cvips_timed_out: throw refusal("takes too long to decode")
        default: throw refusal("cannot be decoded within this service's limits, or is cut off")
        }
    }

    private static func refusal(_ why: String) -> ParseError {
        ParseError(.fileSave, "the picture \(why)")
    }
}
