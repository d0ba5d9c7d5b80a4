/// Which parts of the world's pixels are taken, as boxes in a hashed grid of cells.
struct LabelRoom {
    /// A rectangle of pixels; the right and the bottom edge are outside.
    struct Box {
        let left: Int
        let top: Int
        let right: Int
        let bottom: Int
    }

    /// The edge of a cell: 2^6 pixels.
    private static let cellBits = 6
    private static let slotBits = 16

    private let worldPixels: Int
    private var boxes: [Box] = []
    /// Lists of boxes by the hash of a cell, linked through `next`; -1 ends one.
    private var heads = [Int32](repeating: -1, count: 1 << slotBits)
    private var entries: [(box: Int32, next: Int32)] = []

    /// - Precondition: the world is a power of two and at least a cell wide.
    init(worldPixels: Int) {
        self.worldPixels = worldPixels
    }

    /// Whether a box lies within the world's north and south and touches no box taken, all the
    /// way round the world; and whether it fits round the world once.
    func isFree(_ box: Box) -> Bool {
        guard box.top >= 0, box.bottom <= worldPixels, box.right - box.left <= worldPixels else {
            return false
        }
        var isFree = true
        forEachCell(of: box) { slot in
            var entry = heads[slot]
            while entry >= 0, isFree {
                let (index, next) = entries[Int(entry)]
                if overlap(boxes[Int(index)], box) { isFree = false }
                entry = next
            }
        }
        return isFree
    }

    /// Takes a box.
    mutating func take(_ box: Box) {
        let index = Int32(boxes.count)
        boxes.append(box)
        var slots: [Int] = []
        forEachCell(of: box) { slots.append($0) }
        for slot in slots {
            entries.append((index, heads[slot]))
            heads[slot] = Int32(entries.count - 1)
        }
    }

    /// Whether two boxes overlap on the round world.
    private func overlap(_ first: Box, _ second: Box) -> Bool {
        guard first.top < second.bottom, second.top < first.bottom else { return false }
        // How far the second begins east of where the first begins, and the other way round.
        let east = (second.left - first.left) & (worldPixels - 1)
        let west = (first.left - second.left) & (worldPixels - 1)
        return east < first.right - first.left || west < second.right - second.left
    }

    private func forEachCell(of box: Box, _ body: (Int) -> Void) {
        let bits = LabelRoom.cellBits
        let columns = worldPixels >> bits - 1
        for row in box.top >> bits...(box.bottom - 1) >> bits {
            for column in box.left >> bits...(box.right - 1) >> bits {
                let hash = UInt64(bitPattern: Int64(row << 32 | column & columns))
                let mixed = hash &* 0x9e37_79b9_7f4a_7c15
                body(Int(mixed >> UInt64(64 - LabelRoom.slotBits)))
            }
        }
    }
}
