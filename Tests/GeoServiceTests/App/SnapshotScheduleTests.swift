import Testing

@testable import GeoService

/// When snapshots are written in the background.
struct SnapshotScheduleTests {
    private let start = ContinuousClock.now
    private func key(_ position: UInt64) -> SnapshotSchedule.Key {
        SnapshotSchedule.Key(position: position, epoch: 1, shape: 2)
    }

    /// Looks every 15 seconds at a layer that has `position(second)`; gives when it was written.
    private func writes(seconds: Int, position: (Int) -> UInt64) -> [Int] {
        var schedule = SnapshotSchedule()
        var written: [Int] = []
        for second in stride(from: 0, to: seconds, by: 15) {
            let now = start + .seconds(second)
            if schedule.look(at: key(position(second)), of: "Spot", now) {
                schedule.wrote(key(position(second)), of: "Spot", at: now)
                written.append(second)
            }
        }
        return written
    }

    @Test("a quiet layer is written once, a minute after its last change")
    func quiet() {
        #expect(writes(seconds: 7_200) { _ in 5 } == [60])
        #expect(writes(seconds: 7_200) { UInt64(min($0, 300)) } == [360])
    }

    @Test("a layer that changes all the time is not written")
    func busy() {
        #expect(writes(seconds: 7_200) { UInt64($0) } == [])
        #expect(writes(seconds: 7_200) { UInt64($0 / 45) } == [])
    }

    @Test("a layer that changes now and then is written every ten minutes at most")
    func bounded() {
        let times = writes(seconds: 7_200) { UInt64($0 / 120) }
        #expect(times.count > 5)
        for (first, second) in zip(times, times.dropFirst()) { #expect(second - first >= 600) }
    }

    @Test("other settings are another state")
    func settings() {
        var schedule = SnapshotSchedule()
        let other = SnapshotSchedule.Key(position: 1, epoch: 1, shape: 3)
        let looks: [(key: SnapshotSchedule.Key, layer: String, seconds: Int, isDue: Bool)] = [
            (key(1), "Spot", 0, false), (key(1), "Spot", 60, true), (key(1), "Spot", 900, false),
            (other, "Spot", 960, false), (other, "Other", 960, false), (other, "Spot", 1_020, true),
        ]
        for look in looks {
            let now = start + .seconds(look.seconds)
            let isDue = schedule.look(at: look.key, of: look.layer, now)
            #expect(isDue == look.isDue, "\(look)")
            if isDue { schedule.wrote(look.key, of: look.layer, at: now) }
        }
    }
}
