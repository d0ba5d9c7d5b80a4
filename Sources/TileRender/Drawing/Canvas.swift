internal import CCairo

/// Why a picture could not be drawn.
public enum CanvasError: Error, Equatable, Sendable {
    /// An edge is not in `1...Canvas.maxEdgePixels`.
    case size(widthPixels: Int, heightPixels: Int)
    /// The drawing library gave up; `status` is Cairo's code (1 is "out of memory").
    case drawing(status: UInt32)
    /// The pixels were asked for in the other format than the canvas has.
    case format
}

extension CanvasError: CustomStringConvertible {
    /// A sentence that says what would be right.
    public var description: String {
        switch self {
        case .size(let width, let height):
            "a picture of \(width) × \(height) pixels cannot be drawn: "
                + "each edge is 1 to \(Canvas.maxEdgePixels)"
        case .drawing(let status): "drawing failed with status \(status)"
        case .format: "the canvas holds another kind of pixels"
        }
    }
}

/// A picture in memory to draw on, anti-aliased: the one owner of Cairo's surface and context.
///
/// Coordinates are pixels, (0, 0) the north-west corner of the picture, y southwards; angles are
/// radians, clockwise from east. Paths are built, then filled, stroked or clipped to, which ends
/// them. Drawing cannot fail halfway: after an error everything is ignored, and reading the
/// pixels throws. Moving all coordinates by the same whole number of pixels moves the picture
/// exactly. A canvas and its texts belong to one thread at a time.
///
///     let canvas = try Canvas(widthPixels: 32, heightPixels: 32, format: .color)
///     canvas.arc(centerX: 16, centerY: 16, radius: 14, from: 0, to: 2 * .pi)
///     canvas.fill(Color(0x1f77b4))
///     let pixels = try canvas.straightPixels()
@safe package struct Canvas: ~Copyable {
    /// What a pixel holds.
    package enum Format: Sendable {
        /// Colour with alpha.
        case color
        /// Coverage alone, one byte a pixel; of colours only the alpha counts.
        case coverage
    }

    /// The longest edge of a picture, in pixels: that of the longest `PixelWindow` with margins,
    /// far below where Cairo's 24.8 fixed-point numbers end (±2²³ pixels), and 273 MiB for the largest square.
    package static let maxEdgePixels = 8448

    /// The width in pixels.
    package let widthPixels: Int
    /// The height in pixels.
    package let heightPixels: Int
    /// What a pixel holds.
    package let format: Format

    private let surface: OpaquePointer
    let context: OpaquePointer

    /// Makes a clear picture.
    ///
    /// - Throws: ``CanvasError/size(widthPixels:heightPixels:)`` or
    ///   ``CanvasError/drawing(status:)`` when there is no memory.
    package init(widthPixels: Int, heightPixels: Int, format: Format) throws(CanvasError) {
        let edges = 1...Canvas.maxEdgePixels
        guard edges.contains(widthPixels), edges.contains(heightPixels) else {
            throw .size(widthPixels: widthPixels, heightPixels: heightPixels)
        }
        let pixels = format == .color ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_A8
        // Both calls give an object in every case; one in an error state when memory is short.
        let made = unsafe cairo_image_surface_create(
            pixels, Int32(widthPixels), Int32(heightPixels))
        guard let made = unsafe made, let drawing = unsafe cairo_create(made) else {
            throw .drawing(status: CAIRO_STATUS_NO_MEMORY.rawValue)
        }
        let status = unsafe cairo_status(drawing)
        guard status == CAIRO_STATUS_SUCCESS else {
            unsafe cairo_destroy(drawing)
            unsafe cairo_surface_destroy(made)
            throw .drawing(status: status.rawValue)
        }
        self.widthPixels = widthPixels
        self.heightPixels = heightPixels
        self.format = format
        unsafe surface = made
        unsafe context = drawing
    }

    deinit {
        unsafe cairo_destroy(context)
        unsafe cairo_surface_destroy(surface)
    }

    // MARK: State

    /// Runs `body` and undoes what it did to the clip, the transformation and the settings.
    package func saved<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        unsafe cairo_save(context)
        defer { unsafe cairo_restore(context) }
        return try body()
    }

    /// Moves the origin of the coordinates that follow.
    package func translate(x: Double, y: Double) { unsafe cairo_translate(context, x, y) }

    /// Multiplies the coordinates and widths that follow.
    package func scale(by factor: Double) { unsafe cairo_scale(context, factor, factor) }

    // MARK: Pixels

    /// Lends the rows of a colour canvas: `0xAARRGGBB` with *premultiplied* alpha, row by row
    /// from the north, `widthPixels` in a row.
    ///
    /// - Throws: ``CanvasError/format`` for a coverage canvas; ``CanvasError/drawing(status:)``
    ///   when an earlier call failed.
    package func withPremultipliedPixels<R>(
        _ body: (Span<UInt32>) -> R
    ) throws(CanvasError) -> R {
        guard format == .color else { throw .format }
        let base = unsafe try readable()
        let count = widthPixels * heightPixels
        // A row of ARGB32 has no padding, and Cairo aligns the data to at least 4 bytes.
        return unsafe base.withMemoryRebound(to: UInt32.self, capacity: count) { words in
            body(unsafe Span(_unsafeStart: words, count: count))
        }
    }

    /// The pixels of a colour canvas as `0xAARRGGBB` with *straight* alpha, row by row from the
    /// north.
    ///
    /// - Throws: as ``withPremultipliedPixels(_:)``.
    package func straightPixels() throws(CanvasError) -> [UInt32] {
        try withPremultipliedPixels { pixels in
            pixels.indices.map { Canvas.straightened(pixels[$0]) }
        }
    }

    /// The coverage of a coverage canvas, 0 to 255, row by row from the north, without padding.
    ///
    /// - Throws: ``CanvasError/format`` for a colour canvas; ``CanvasError/drawing(status:)``
    ///   when an earlier call failed.
    package func coverage() throws(CanvasError) -> [UInt8] {
        guard format == .coverage else { throw .format }
        let base = unsafe try readable()
        let stride = Int(unsafe cairo_image_surface_get_stride(surface))
        return unsafe [UInt8](unsafeUninitializedCapacity: widthPixels * heightPixels) {
            buffer, count in
            for row in 0..<heightPixels {
                for column in 0..<widthPixels {
                    unsafe buffer[row * widthPixels + column] = base[row * stride + column]
                }
            }
            count = widthPixels * heightPixels
        }
    }

    /// Undoes the premultiplication of one pixel, to the nearest whole number.
    package static func straightened(_ pixel: UInt32) -> UInt32 {
        let alpha = pixel >> 24
        if alpha == 255 || alpha == 0 { return pixel }
        // A premultiplied channel is at most its alpha, so a quotient is at most 255.
        func channel(_ shift: UInt32) -> UInt32 {
            min(255, ((pixel >> shift & 255) * 255 + alpha / 2) / alpha) << shift
        }
        return alpha << 24 | channel(16) | channel(8) | channel(0)
    }

    /// The first byte of the finished pixels.
    private func readable() throws(CanvasError) -> UnsafeMutablePointer<UInt8> {
        unsafe cairo_surface_flush(surface)
        let status = unsafe cairo_status(context)
        guard status == CAIRO_STATUS_SUCCESS,
            let base = unsafe cairo_image_surface_get_data(surface)
        else { throw .drawing(status: status.rawValue) }
        return unsafe base
    }
}
