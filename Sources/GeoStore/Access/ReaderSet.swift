import JSONText

/// Who may read an object: everybody, or a list of principals. Objects of the same readers are
/// alike to every viewer, whatever else their access lists say.
///
/// The master key, which reads everything, is in no set.
package struct ReaderSet: Sendable {
    /// Everybody.
    package static let everybody = ReaderSet(list: nil)
    /// Nobody but the master key.
    package static let nobody = ReaderSet(list: [])

    /// Nil is everybody, by far the commonest, for which nothing is counted or freed.
    private let list: [String]?

    private init(list: [String]?) {
        self.list = list
    }

    /// The readers that an access list names; without a list, everybody. O(entries).
    package init(_ acl: AccessList?) {
        guard let acl, !acl.publicCanRead else {
            self = .everybody
            return
        }
        // In the order of their bytes, as the list has them.
        list = acl.entries.filter { $0.rights.contains(.read) }.map(\.principal)
    }

    /// The set of these principals; everybody when `*` is among them. O(n · log n).
    package init(principals: some Collection<String>) {
        let isEverybody = principals.contains { $0.hasSameBytes(as: AccessList.everybody) }
        list = isEverybody ? nil : principals.sortedByBytes()
    }

    /// Whether everybody may read.
    package var isEverybody: Bool { list == nil }
    /// Whether nobody but the master key may read.
    package var isNobody: Bool { list?.isEmpty ?? false }
    /// The principals in the order of their bytes; for everybody, `*` alone.
    package var principals: [String] { list ?? [AccessList.everybody] }
}

extension ReaderSet: Hashable {
    package static func == (a: ReaderSet, b: ReaderSet) -> Bool {
        switch (a.list, b.list) {
        case (nil, nil): true
        case (let a?, let b?): a.hasSameBytes(as: b)
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(list)
    }
}
