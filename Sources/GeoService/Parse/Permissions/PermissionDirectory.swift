import GeoStore
import Synchronization

/// The permissions of all classes, each made once of the settings that it has.
///
/// What is kept is exact: it belongs to one instance of settings, and other settings are another
/// instance.
final class PermissionDirectory: Sendable {
    private struct Entry {
        let settings: ClassSettings
        let permissions: ClassPermissions
    }

    private let entries = Mutex<[String: Entry]>([:])
    /// What users are without any settings.
    private let users = ClassPermissions(nil, of: AccountNames.user)

    /// The permissions of a class in a state of the catalog.
    ///
    /// - Complexity: O(1), but for the first time with these settings.
    func permissions(of className: String, in catalog: SchemaCatalog) -> ClassPermissions {
        guard let settings = catalog[className]?.keptSettings else {
            return className == AccountNames.user ? users : .open
        }
        let known = entries.withLock { $0[className] }
        if let known, known.settings === settings { return known.permissions }
        let made = ClassPermissions(settings.json, of: className)
        entries.withLock { $0[className] = Entry(settings: settings, permissions: made) }
        return made
    }
}
