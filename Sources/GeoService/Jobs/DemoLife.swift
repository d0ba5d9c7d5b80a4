import Dispatch
import GeoIndex
import GeoStore
import JSONText
import SyntheticCity

/// Keeps the demo's city alive: a few times a second somebody posts, moves, likes or goes.
final class DemoLife: Sendable {
    private let store: SQLiteStore
    private let stopping = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    private static let tick = DispatchTimeInterval.milliseconds(250)

    init(store: SQLiteStore) {
        self.store = store
    }

    /// Begins, on a thread of its own.
    func start() {
        let isStarted = SystemThread.start { [self] in
            run()
            ended.signal()
        }
        if !isStarted {
            Log.warning("the system gave no thread: the demo city stands still")
            ended.signal()
        }
    }

    /// Ends, and waits for the last write. To be called once, after ``start()``.
    func stop() {
        stopping.signal()
        ended.wait()
    }

    private func run() {
        do {
            var residents = try Residents(of: store)
            var life = CityLife(startMilliseconds: Timestamp.now().milliseconds)
            while stopping.wait(timeout: .now() + DemoLife.tick) == .timedOut {
                let now = Timestamp.now()
                let events = life.events(
                    until: now.milliseconds, residentCount: residents.count
                ) { residents[$0] }
                if !events.isEmpty { try live(events, at: now, &residents) }
            }
        } catch {
            Log.warning("the demo city stands still from now on: \(error)")
        }
    }

    private func live(
        _ events: [LifeEvent], at now: Timestamp, _ residents: inout Residents
    ) throws {
        let changes: [ResidentChange]
        do {
            changes = try store.write { transaction in
                var changes: [ResidentChange] = []
                for event in events {
                    if let change = try event.happen(at: now, in: &transaction) {
                        changes.append(change)
                    }
                }
                return changes
            }
        } catch StoreError.busy {
            return  // what the city does can wait: nobody misses it
        }
        for change in changes { residents.apply(change) }
    }
}

/// What an event did to one resident.
enum ResidentChange: Sendable {
    case came(CityResident)
    case moved(CityResident)
    case went(id: String)
}

extension LifeEvent {
    /// Writes the event; nil when nobody came, moved or went.
    func happen(
        at now: Timestamp, in transaction: inout WriteTransaction
    ) throws -> ResidentChange? {
        switch self {
        case .create(let record):
            let id = ObjectID.random()
            try transaction.insert(DemoCity.document(record, id: id, at: now))
            return .came(CityResident(id: id, lon: record.lon, lat: record.lat))
        case .move(let id, let lon, let lat):
            guard var document = try transaction.object(DemoCity.layer, id) else {
                return .went(id: id)
            }
            document.fields["location"] = DemoCity.place(try LonLat(lon: lon, lat: lat))
            document.updatedAt = now
            try transaction.replace(document)
            return .moved(CityResident(id: id, lon: lon, lat: lat))
        case .like(let id):
            guard var document = try transaction.object(DemoCity.layer, id) else {
                return .went(id: id)
            }
            let likes = document.fields["likes"]?.integerValue ?? 0
            let weight = document.fields["weight"]?.doubleValue ?? 1
            // A clamp, since clients may write these fields as well.
            document.fields["likes"] = .integer(min(likes, 1 << 52) + 1)
            document.fields["weight"] = .number(weight + 1)
            document.updatedAt = now
            try transaction.replace(document)
            return nil
        case .remove(let id):
            try transaction.delete(DemoCity.layer, id)
            return .went(id: id)
        }
    }
}

/// The city's own objects, in no order.
struct Residents {
    private var all: [CityResident] = []
    private var places: [String: Int] = [:]

    /// Those of a store.
    init(of store: SQLiteStore) throws {
        try store.read { reader in
            try reader.scan(DemoCity.layer) { document in
                if DemoCity.isOwn(document), let position = document.location?.position {
                    apply(
                        .came(
                            CityResident(
                                id: document.objectId, lon: position.lon, lat: position.lat)))
                }
                return true
            }
        }
    }

    var count: Int { all.count }

    subscript(index: Int) -> CityResident { all[index] }

    mutating func apply(_ change: ResidentChange) {
        switch change {
        case .came(let resident):
            places[resident.id] = all.count
            all.append(resident)
        case .moved(let resident):
            if let place = places[resident.id] { all[place] = resident }
        case .went(let id):
            guard let place = places.removeValue(forKey: id), let last = all.popLast() else {
                return
            }
            guard last.id != id else { return }
            all[place] = last
            places[last.id] = place
        }
    }
}
