/// Why a setting was not taken.
package struct SettingError: Error, Equatable, CustomStringConvertible {
    /// A sentence that names the setting and says what would be right. Never holds a secret.
    package let description: String

    /// Names a setting.
    package init(_ name: String, _ whatIsRight: String) {
        description = "\(name) \(whatIsRight)"
    }

    /// Says what is wrong in a sentence of its own.
    init(sentence: String) { description = sentence }
}
