internal import Synchronization

/// Drawn names by what they were drawn from, bounded in bytes.
///
/// Two generations: what is asked for moves to the younger one; when that is full, the elder is
/// forgotten. So a name in use stays, and no clock or list is kept.
final class LabelCache: Sendable {
    /// What a sprite depends on.
    struct Key: Hashable {
        let name: MapName
        let side: LabelLayout.Side
        let zoom: UInt8
        let scale: UInt8
        /// The style's number.
        let style: UInt8
    }

    private struct State {
        var young: [Key: LabelSprite] = [:]
        var old: [Key: LabelSprite] = [:]
        var youngBytes = 0
    }

    private let limitBytes: Int
    private let state = Mutex(State())

    /// A cache of at most about `limitBytes`.
    init(limitBytes: Int) { self.limitBytes = limitBytes }

    /// The sprite of a key, drawn by `draw` when it is not there. Two callers at once may both
    /// draw it; the results are equal.
    func sprite(
        _ key: Key, draw: () throws(CanvasError) -> LabelSprite
    ) throws(CanvasError) -> LabelSprite {
        let known = state.withLock { state -> LabelSprite? in
            if let sprite = state.young[key] { return sprite }
            guard let sprite = state.old[key] else { return nil }
            insert(sprite, key, &state)
            return sprite
        }
        if let known { return known }
        let sprite = try draw()
        state.withLock { insert(sprite, key, &$0) }
        return sprite
    }

    private func insert(_ sprite: LabelSprite, _ key: Key, _ state: inout State) {
        if state.youngBytes > limitBytes / 2 {
            state.old = state.young
            state.young = [:]
            state.youngBytes = 0
        }
        if state.young.updateValue(sprite, forKey: key) == nil {
            state.youngBytes += sprite.pixels.count * 4 + 256
        }
    }
}
