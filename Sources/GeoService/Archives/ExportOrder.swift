import GeoIndex
import GeoStore

/// An export as a command asks for it.
package struct ExportOrder: Sendable {
    /// The layer.
    package let layer: String
    /// What is made.
    package let format: ArchiveFormat
    /// The parameters of `GET /export/{layer}`.
    let items: [(name: String, value: String)]

    /// Checks the options of a command.
    ///
    /// - Parameter items: The parameters of `GET /export/{layer}`, which are options without their
    ///   dashes.
    /// - Throws: ``SettingError`` naming the option.
    package init(
        layer: String, items: [(name: String, value: String)]
    ) throws(SettingError) {
        guard LayerCatalog.canBeMade(layer) else {
            throw SettingError("--layer", "cannot be \(layer.prefix(64)): no layer has that name")
        }
        self.layer = layer
        self.items = items
        do throws(Problem) {
            format = try ArchiveOrder(
                items: items, layer: layer, .anonymous, now: Timestamp.now()
            ).format
        } catch {
            throw SettingError(option: error)
        }
    }
}

extension SettingError {
    /// What is wrong with a parameter, as an option of a command.
    init(option problem: Problem) {
        guard let fault = problem.errors.first else {
            self.init(sentence: problem.detail)
            return
        }
        self.init("--" + fault.field, fault.message)
    }
}
