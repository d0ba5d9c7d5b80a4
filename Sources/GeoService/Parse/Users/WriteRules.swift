import GeoStore
import JSONText

/// What a class of the service's own adds to the writes of its objects.
protocol WriteRules: Sendable {
    /// Completes or refuses an object before it is stored.
    ///
    /// - Parameter former: The object before; nil of one that comes into being.
    /// - Throws: ``ParseError``, ``StoreError``.
    func complete(
        _ document: inout Document, replacing former: Document?,
        in transaction: borrowing WriteTransaction
    ) throws

    /// Stores what belongs to an object, once that is stored.
    ///
    /// - Returns: Further members of the answer.
    /// - Throws: ``ParseError``, ``StoreError``; the object is not stored either then.
    func stored(
        _ document: Document, replacing former: Document?,
        in transaction: inout WriteTransaction
    ) throws -> JSONObject
}
