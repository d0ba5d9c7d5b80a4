import GeoIndex
import GeoStore
import Synchronization

/// The objects of a layer that not everybody sees as they are, by who does.
///
/// Objects of the same readers are one group, however many there are. The writer changes groups and
/// the layer's index under one lock, and whoever makes a view takes both under it, so that they are
/// always of one commit.
final class HiddenObjects: Sendable {
    /// What tells the maps of two viewers of a layer apart.
    struct Selection: Hashable, Sendable {
        /// The groups that the viewer may read, ascending.
        let groups: [Int]
        /// The viewer, if he owns objects that others see elsewhere.
        let owner: String?
        /// Whether it is all that anybody but an owner sees: what protected heat is made of.
        let isWhole: Bool
        /// The hash of it all, made once: a viewer of 500 roles has as many groups.
        private let digest: Int

        init(groups: [Int], owner: String?, isWhole: Bool = false) {
            self.groups = groups
            self.owner = owner
            self.isWhole = isWhole
            var hasher = Hasher()
            hasher.combine(groups)
            hasher.combine(owner)
            hasher.combine(isWhole)
            digest = hasher.finalize()
        }

        static let whole = Selection(groups: [], owner: nil, isWhole: true)

        func hash(into hasher: inout Hasher) { hasher.combine(digest) }
    }

    /// What a view needs to be up to date.
    struct Changes {
        /// The position to ask from the next time.
        let position: Int
        /// All that the view has of its own; nil when ``changed`` is enough.
        let all: [ViewObject]?
        /// The objects that were changed.
        let changed: [ViewObject]
    }

    fileprivate struct Entry {
        let object: HiddenObject
        /// 0 for what everybody may read.
        let group: Int
    }

    fileprivate struct Group {
        let readers: ReaderSet
        var objects: Set<ObjectKey> = []
    }

    fileprivate struct State {
        var objects: [ObjectKey: Entry] = [:]
        var groups: [Int: Group] = [:]
        var numbers: [ReaderSet: Int] = [:]
        var byPrincipal: [String: Set<Int>] = [:]
        /// What users own that others see elsewhere.
        var owned: [String: Set<ObjectKey>] = [:]
        var lastGroup = 0
        /// The objects that were changed last.
        var log: [ObjectKey] = []
        /// Changes before those of the log.
        var forgotten = 0
        /// How often a group came or went, or somebody became or ceased to be an owner.
        var regroupings = 0
    }

    /// Changes that are remembered at least.
    private static let logLength = 8_192

    private let state = Mutex(State())
    /// As many as there were up to the last commit that was answered: as long as it stays, so does
    /// what is selected for a viewer.
    private let published = Atomic<Int>(0)

    /// Grows whenever viewers may have to be selected for anew. O(1).
    var regroupings: Int { published.load(ordering: .acquiring) }

    /// Takes over changes and publishes them, as one step for all who ask.
    ///
    /// - Parameters:
    ///   - key: The key of an id in the layer's index.
    ///   - publish: Brings the index to the same commit.
    func apply(
        _ edits: [LayerEdit], key: (String) -> ObjectKey?, publish: () throws -> Void
    ) rethrows {
        try state.withLock { state in
            try publish()
            for edit in edits {
                if state.objects.isEmpty && edit.hidden == nil { continue }
                guard let key = key(edit.id) else { continue }
                let isKnown = state.remove(key)
                if let hidden = edit.hidden { state.insert(key, hidden) }
                if isKnown || edit.hidden != nil { state.log.append(key) }
            }
            if state.log.count > 2 * HiddenObjects.logLength {
                let gone = state.log.count - HiddenObjects.logLength
                state.log.removeFirst(gone)
                state.forgotten += gone
            }
            published.store(state.regroupings, ordering: .releasing)
        }
    }

    /// What a viewer sees beside what everybody does; nil when that is nothing. O(principals).
    func selection(of viewer: Principals) -> Selection? {
        if viewer.names.isEmpty { return nil }
        return state.withLock { state in
            if state.objects.isEmpty { return nil }
            var groups: Set<Int> = []
            for name in viewer.names { state.byPrincipal[name].map { groups.formUnion($0) } }
            let owner = viewer.userId.flatMap { state.owned[$0] == nil ? nil : $0 }
            if groups.isEmpty && owner == nil { return nil }
            return Selection(groups: groups.sorted(), owner: owner)
        }
    }

    /// What anybody may see beside what everybody does; nil when that is nothing.
    var wholeSelection: Selection? { state.withLock { $0.groups.isEmpty ? nil : .whole } }

    /// A state of the layer, and how a view at an earlier position comes to it.
    ///
    /// - Parameters:
    ///   - position: Where the view is; nil when there is none yet.
    ///   - base: Takes the newest published state of the index.
    ///   - isOwn: Whether the view has an object of its own.
    func changes(
        of selection: Selection, since position: Int?, base: () -> IndexSnapshot,
        isOwn: (ObjectKey) -> Bool
    ) -> (base: IndexSnapshot, changes: Changes) {
        state.withLock { state in
            let base = base()
            let end = state.forgotten + state.log.count
            guard let position, position >= state.forgotten else {
                return (
                    base, Changes(position: end, all: state.objects(of: selection), changed: [])
                )
            }
            var changed: [ViewObject] = []
            if position == end { return (base, Changes(position: end, all: nil, changed: [])) }
            for key in Set(state.log[(position - state.forgotten)...]) {
                let object = state.object(key, in: selection)
                if object.placement != nil || isOwn(object.key) { changed.append(object) }
            }
            return (base, Changes(position: end, all: nil, changed: changed))
        }
    }

    /// The newest published state of the index, when a view at a position knows all that belongs to it.
    ///
    /// - Complexity: O(1).
    func base(at position: Int, base: () -> IndexSnapshot) -> IndexSnapshot? {
        state.withLock { state in
            position == state.forgotten + state.log.count ? base() : nil
        }
    }

    /// All that a view has of its own, with the state of the layer.
    func all(
        of selection: Selection, base: () -> IndexSnapshot
    ) -> (base: IndexSnapshot, position: Int, objects: [ViewObject]) {
        state.withLock { state in
            (base(), state.forgotten + state.log.count, state.objects(of: selection))
        }
    }

    /// The objects of a user that others see elsewhere. O(those).
    func owned(by userId: String?) -> [ObjectKey] {
        guard let userId else { return [] }
        return state.withLock { state in
            Array(state.owned[userId] ?? [])
        }
    }

    /// Those objects with their exact places.
    func ownedPlaces(by userId: String?) -> [(key: ObjectKey, place: RoundedPosition)] {
        guard let userId else { return [] }
        return state.withLock { state in
            (state.owned[userId] ?? []).compactMap { key in
                state.objects[key]?.object.exact.map { (key, $0.position) }
            }
        }
    }

    /// How many objects there are.
    var count: Int { state.withLock { $0.objects.count } }
}

extension HiddenObjects.State {
    /// - Returns: Whether it was there.
    fileprivate mutating func remove(_ key: ObjectKey) -> Bool {
        guard let entry = objects.removeValue(forKey: key) else { return false }
        if let owner = entry.object.owner, entry.object.exact != nil {
            owned[owner]?.remove(key)
            if owned[owner]?.isEmpty == true {
                owned[owner] = nil
                regroupings += 1
            }
        }
        guard entry.group != 0 else { return true }
        groups[entry.group]?.objects.remove(key)
        guard let group = groups[entry.group], group.objects.isEmpty else { return true }
        // A group without objects is nobody's: it comes again under another number.
        regroupings += 1
        groups[entry.group] = nil
        numbers[group.readers] = nil
        for name in group.readers.principals {
            byPrincipal[name]?.remove(entry.group)
            if byPrincipal[name]?.isEmpty == true { byPrincipal[name] = nil }
        }
        return true
    }

    fileprivate mutating func insert(_ key: ObjectKey, _ object: HiddenObject) {
        if let owner = object.owner, object.exact != nil {
            if owned[owner] == nil { regroupings += 1 }
            owned[owner, default: []].insert(key)
        }
        guard !object.readers.isEverybody else {
            objects[key] = HiddenObjects.Entry(object: object, group: 0)
            return
        }
        let number: Int
        if let known = numbers[object.readers] {
            number = known
        } else {
            lastGroup += 1
            regroupings += 1
            number = lastGroup
            numbers[object.readers] = number
            groups[number] = HiddenObjects.Group(readers: object.readers)
            for name in object.readers.principals {
                byPrincipal[name, default: []].insert(number)
            }
        }
        groups[number]?.objects.insert(key)
        objects[key] = HiddenObjects.Entry(object: object, group: number)
    }

    /// What a view has of an object.
    fileprivate func object(
        _ key: ObjectKey, in selection: HiddenObjects.Selection
    ) -> ViewObject {
        guard let entry = objects[key] else { return ViewObject(key: key, placement: nil) }
        let object = entry.object
        let isOwner = object.exact != nil && object.owner == selection.owner
        if entry.group == 0 {
            return isOwner
                ? ViewObject(key: key, placement: object.exact, hidden: object.place)
                : ViewObject(key: key, placement: nil)
        }
        if selection.isWhole { return ViewObject(key: key, placement: object.shown) }
        guard selection.groups.containsSorted(entry.group) else {
            return ViewObject(key: key, placement: nil)
        }
        return ViewObject(key: key, placement: isOwner ? object.exact : object.shown)
    }

    /// All that a view has of its own.
    fileprivate func objects(of selection: HiddenObjects.Selection) -> [ViewObject] {
        var found: [ViewObject] = []
        for group in selection.isWhole ? Array(groups.keys) : selection.groups {
            for key in groups[group]?.objects ?? [] { found.append(object(key, in: selection)) }
        }
        if let owner = selection.owner {
            for key in owned[owner] ?? [] where objects[key]?.group == 0 {
                found.append(object(key, in: selection))
            }
        }
        return found
    }
}

extension [Int] {
    /// Whether an ascending list has a number. O(log n).
    fileprivate func containsSorted(_ number: Int) -> Bool {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == number
    }
}
