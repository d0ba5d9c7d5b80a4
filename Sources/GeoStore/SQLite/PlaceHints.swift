/// Where in the table objects were read lately: it saves the walk down the index of ids, which is
/// half of what it costs to read an object. Belongs to one connection.
///
/// A hint may be wrong at any time, because an object is gone, another one has its place, or two ids
/// look alike. So whoever follows one asks the row whose it is, and asks the index when it is not
/// the wanted one: nothing has to be told of writes.
struct PlaceHints {
    /// What is remembered of an object's class and id.
    struct Key {
        fileprivate let mix: UInt64

        init(_ classNumber: Int64, _ objectId: String) {
            // A mix is any number: it wraps.
            mix =
                ContentHash.text(objectId) &+ UInt64(bitPattern: classNumber)
                &* 0x9E37_79B9_7F4A_7C15
        }
    }

    /// 8 MiB.
    private static let greatestCount = 1 << 20
    /// A slot has the key's highest bits above so many of the place; 0 is empty.
    private static let placeBits: UInt64 = 40

    private var slots = ContiguousArray<UInt64>(repeating: 0, count: 1 << 10)
    private var filled = 0

    /// The place of an object, when it is remembered; another one's, perhaps.
    subscript(key: Key) -> Int64? {
        get {
            let slot = slots[index(of: key)]
            guard slot != 0, slot >> Self.placeBits == key.mix >> Self.placeBits else { return nil }
            return Int64(slot & (1 << Self.placeBits - 1))
        }
        set {
            guard let place = newValue, place > 0, place < 1 << Self.placeBits else { return }
            if 2 * filled > slots.count, slots.count < Self.greatestCount {
                // The keys are not known any more: it learns anew.
                slots = ContiguousArray(repeating: 0, count: 4 * slots.count)
                filled = 0
            }
            let index = index(of: key)
            if slots[index] == 0 { filled += 1 }
            slots[index] = (key.mix >> Self.placeBits) << Self.placeBits | UInt64(place)
        }
    }

    private func index(of key: Key) -> Int {
        // The count is a power of two, and the lower bits are no part of a slot.
        Int(truncatingIfNeeded: key.mix & UInt64(slots.count - 1))
    }
}
