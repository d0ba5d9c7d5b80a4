import Testing

@testable import GeoService

/// When clusters are resolved in the background.
struct ClusterScheduleTests {
    /// Whether each of some looks at a layer finds it due: by the index's number and its objects.
    private func due(_ looks: [(index: UInt64, count: Int)]) -> [Bool] {
        var schedule = ClusterSchedule()
        return looks.map { schedule.look(at: "A", indexNumber: $0.index, count: $0.count) }
    }

    @Test("a layer is prepared at the start, and not again while it stays as it is")
    func start() {
        let looks = due([(1, 5_000), (1, 5_000), (1, 5_010), (1, 4_990), (1, 5_020)])
        #expect(looks == [true, false, false, false, false])
    }

    @Test("layers are told apart")
    func layers() {
        var schedule = ClusterSchedule()
        let looks = ["A", "B", "A"].map { schedule.look(at: $0, indexNumber: 1, count: 5_000) }
        #expect(looks == [true, true, false])
    }

    @Test("another index of the layer is prepared")
    func rebuild() {
        #expect(due([(1, 5_000), (9, 5_000), (9, 5_000)]) == [true, true, false])
    }

    @Test("an import is waited for, and then prepared once")
    func growth() {
        let growing = [(1, 0), (1, 1_000), (1, 40_000), (1, 90_000)].map {
            (index: UInt64($0.0), count: $0.1)
        }
        let looks = due(growing + [(1, 90_010), (1, 90_020), (1, 60_000), (1, 60_000)])
        // A quarter less is another layer too, once it stays so.
        #expect(looks == [false, false, false, false, true, false, false, true])
    }

    @Test("a layer of few objects is left alone, also when it becomes one")
    func few() {
        #expect(due([(1, 0), (1, 999), (1, 999)]) == [false, false, false])
        #expect(due([(1, 1_000), (1, 500), (1, 500)]) == [true, false, false])
    }
}
