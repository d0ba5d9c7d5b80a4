/// The last access list that a connection read: objects that are read together mostly have the
/// same one.
struct AccessListMemo {
    private var bytes: [UInt8] = []
    private var list: StoredAccessList?

    /// Longer texts are not kept.
    private static let greatestBytes = 4 << 10

    /// The list of a stored text; nil when another one was read last. O(bytes).
    func list(of text: Span<UInt8>) -> StoredAccessList? {
        guard let list, text.count == bytes.count else { return nil }
        for index in text.indices where text[index] != bytes[index] { return nil }
        return list
    }

    /// Keeps a list with its text.
    mutating func keep(_ list: StoredAccessList, of text: Span<UInt8>) {
        guard text.count <= Self.greatestBytes else { return }
        bytes.removeAll(keepingCapacity: true)
        for index in text.indices { bytes.append(text[index]) }
        self.list = list
    }
}
