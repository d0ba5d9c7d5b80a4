/// A value that at most one object has at a time, such as a user's name or a session's token.
///
///     UniqueKey(scope: "_User.username", "ann")
package struct UniqueKey: Hashable, Sendable {
    /// The longest value, in bytes.
    package static let maximumBytes = 512

    /// What the value is unique among; the class and the fields, by custom.
    package let scope: String
    /// The value, compared by its bytes. Whoever makes the key folds case beforehand; of what is
    /// secret it holds a hash.
    package let value: [UInt8]

    /// A key of bytes.
    package init(scope: String, value: [UInt8]) {
        self.scope = scope
        self.value = value
    }

    /// A key of a text's UTF-8 bytes.
    package init(scope: String, _ text: String) {
        self.init(scope: scope, value: Array(text.utf8))
    }
}
