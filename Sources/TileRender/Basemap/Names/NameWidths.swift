internal import Synchronization

/// Widths of names for all threads; see ``TextWidths``.
final class NameWidths: Sendable {
    private let table = Mutex(TextWidths())

    /// The width of the widest line of a text, in pixels.
    func width(_ text: String, font: FontStyle) throws(CanvasError) -> Double {
        try table.withLock { (table: inout TextWidths) throws(CanvasError) -> Double in
            try table.width(text, font: font)
        }
    }
}
