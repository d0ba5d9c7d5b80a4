import GeoImport
import GeoIndex
import GeoStore
import JSONText
import TestSupport
import Testing

@testable import GeoService

@Suite("Imports into a layer")
struct ImportJobTests {
    @Test("a row of imports does what its twin in memory does", arguments: 0..<24)
    func equalsTwin(seed: Int) throws {
        let fixture = try ImportFixture()
        var twin = ImportTwin()
        var random = SeededGenerator(seed: seed)
        for _ in 0..<6 {
            let rows = ImportTwin.rows(using: &random)
            let sync = Bool.random(using: &random)
            let expected = twin.take(rows, sync: sync)
            let report = try fixture.importTable(
                ImportTwin.table(rows), ImportOrder(layer: "Twin", sync: sync))
            #expect(report.added == expected.added)
            #expect(report.updated == expected.updated)
            #expect(report.unchanged == expected.unchanged)
            #expect(report.removed == expected.removed)
            #expect(report.rejected == expected.rejectedLines.count)
            #expect(report.errors.map(\.line) == expected.rejectedLines)
            #expect(try fixture.objects("Twin") == twin.objects)
            let count = fixture.catalog.layer(named: "Twin")?.current.count ?? 0
            #expect(count == twin.objects.count)
        }
    }

    @Test("a dry run reports what would be done and does nothing of it", arguments: 0..<8)
    func dryRun(seed: Int) throws {
        let fixture = try ImportFixture()
        var twin = ImportTwin()
        var random = SeededGenerator(seed: 1000 + seed)
        let first = ImportTwin.rows(using: &random)
        _ = twin.take(first, sync: false)
        _ = try fixture.importTable(ImportTwin.table(first), ImportOrder(layer: "Dry"))
        let before = try fixture.objects("Dry")
        let second = ImportTwin.rows(using: &random)
        let order = try ImportOrder(layer: "Dry", sync: true, dryRun: true)
        let job = fixture.job(order)
        try fixture.feed(ImportTwin.table(second), to: job, order)
        let report = try job.finish(notes: [])
        let expected = twin.take(second, sync: true)
        #expect(report.added == expected.added)
        #expect(report.updated == expected.updated)
        #expect(report.removed == expected.removed)
        #expect(report.rejected == expected.rejectedLines.count)
        #expect(!job.sample.isEmpty || report.added + report.updated + report.unchanged == 0)
        #expect(try fixture.objects("Dry") == before)
    }

    @Test("more rows than one batch holds all arrive, rejections in the order of the file")
    func manyBatches() throws {
        let fixture = try ImportFixture()
        let count = ImportBatch.fullCount * 5 / 2
        var text = "id,lon,lat\n"
        for index in 0..<count {
            // Descending ids, so that every batch has to be sorted.
            text += "\(count - index),\(index % 1000 == 999 ? "x" : "7"),\(Double(index % 80))\n"
        }
        var rejected: [Int] = []
        let order = try ImportOrder(layer: "Many")
        let job = fixture.job(order)
        job.onRejection = { line, _ in rejected.append(line) }
        try fixture.feed(text, to: job, order)
        let report = try job.finish(notes: [])
        #expect(report.rejected == count / 1000)
        #expect(report.added == count - count / 1000)
        #expect(rejected == (1...(count / 1000)).map { $0 * 1000 + 1 })
        #expect(fixture.catalog.layer(named: "Many")?.current.count == report.added)
    }

    @Test("rows without ids are added each time, under ids of their own")
    func withoutIDs() throws {
        let fixture = try ImportFixture()
        let text = "lon,lat,n\n" + (0..<3000).map { "1,2,\($0)\n" }.joined()
        let order = try ImportOrder(layer: "Free")
        #expect(try fixture.importTable(text, order).added == 3000)
        #expect(try fixture.importTable(text, order).added == 3000)
        let objects = try fixture.objects("Free")
        #expect(objects.count == 6000)
        // A sync replaces them: what was there is not in the file.
        let replaced = try fixture.importTable(text, ImportOrder(layer: "Free", sync: true))
        #expect(replaced.added == 3000 && replaced.removed == 6000)
        #expect(Set(try fixture.objects("Free").keys).isDisjoint(with: objects.keys))
    }

    @Test("new objects are for all to read, updated ones keep their access, unless it is given")
    func access() throws {
        let fixture = try ImportFixture()
        try fixture.store.write { transaction in
            try transaction.insert(
                Document(
                    className: "Open", objectId: "old", createdAt: Timestamp.now(), fields: ["n": 1]
                ))
        }
        let readers = AccessList(everybody: .read)
        var order = try ImportOrder(layer: "Open")
        let table = "id,lon,lat\nold,1,2\nnew,3,4\n"
        let report = try fixture.importTable(table, order)
        #expect((report.added, report.updated) == (1, 1))
        #expect(try fixture.access("Open") == ["old": nil, "new": readers])
        #expect(try fixture.importTable(table, order).unchanged == 2)

        try order.setAccess("{\"role:editors\":{\"write\":true},\"*\":{\"read\":true}}")
        var given = readers
        given["role:editors"] = .write
        #expect(try fixture.importTable(table + "more,5,6\n", order).updated == 2)
        #expect(try fixture.access("Open") == ["old": given, "new": given, "more": given])
        #expect(try fixture.importTable(table, ImportOrder(layer: "Open")).unchanged == 2)

        try order.setAccess("{}")
        #expect(try fixture.importTable(table, order).updated == 2)
        #expect(fixture.catalog.layer(named: "Open")?.current.count == 1, "no map shows them")
    }

    @Test(
        "what is no access list is refused",
        arguments: ["", "x", "[]", "null", "{\"*\":1}", "{\"*\":{\"own\":true}}", "{\"\":{}}"])
    func wrongAccess(text: String) throws {
        var order = try ImportOrder(layer: "Any")
        #expect(throws: AccessTextError.self) { try order.setAccess(text) }
    }

    @Test("places go into the GeoPoint field that the class has")
    func placeField() throws {
        let fixture = try ImportFixture()
        try fixture.store.write { transaction in
            try transaction.insert(
                Document(
                    className: "Shop", objectId: "old", createdAt: Timestamp.now(),
                    fields: ["place": GeoPointField.json(try LonLat(lon: 1, lat: 1))]))
        }
        let order = try ImportOrder(layer: "Shop")
        let report = try fixture.importTable("id,lon,lat\nnew,3,4\n", order)
        #expect(report.added == 1)
        #expect(
            try fixture.objects("Shop")["new"]
                == ["place": GeoPointField.json(try LonLat(lon: 3, lat: 4))])
        #expect(fixture.catalog.layer(named: "Shop")?.current.count == 2)
        let clash = try fixture.importTable("id,lon,lat,place\nx,5,6,here\n", order)
        #expect(clash.rejected == 1 && clash.added == 0)
        #expect(clash.errors.first?.reason.contains("place") == true)
    }

    @Test("a column of a type that the class does not have rejects its rows only")
    func schemaMismatch() throws {
        let fixture = try ImportFixture()
        let order = try ImportOrder(layer: "Typed")
        _ = try fixture.importTable("id,lon,lat,size\na,1,1,10\n", order)
        let report = try fixture.importTable(
            "id,lon,lat,size\nb,1,1,big\nc,2,2,\nd,3,3,small\n", order)
        #expect(report.added == 1 && report.rejected == 2)
        #expect(report.errors.map(\.line) == [2, 4])
        #expect(report.errors[0].reason.contains("expected Number but got String"))
    }

    @Test(
        "names that no layer can have are refused",
        arguments: ["", "_User", "1st", "a-b", "v1", "basemap", "health", "metrics", "ä"])
    func layerNames(name: String) {
        #expect(throws: LayerNameError.self) { try ImportOrder(layer: name) }
    }

    @Test("the store's failure ends an import")
    func closedStore() throws {
        let fixture = try ImportFixture()
        let order = try ImportOrder(layer: "Late")
        let job = fixture.job(order)
        try fixture.feed("id,lon,lat\na,1,1\n", to: job, order)
        fixture.store.close()
        #expect(throws: StoreError.closed) { try job.finish(notes: []) }
        job.abandon()
    }
}

@Suite("The ids that a file names")
struct ImportedIDsTests {
    @Test("every id that was named is found and no other", arguments: 0..<16)
    func equalsSet(seed: Int) {
        var random = SeededGenerator(seed: seed)
        var ids = ImportedIDs()
        var twin: Set<String> = []
        for _ in 0..<500 {
            let number = Int.random(in: 0..<1_000, using: &random)
            let id = number.isMultiple(of: 3) ? "long-identifier-\(number)" : "i\(number)"
            if Bool.random(using: &random) {
                ids.insert(id)
                twin.insert(id)
            }
            let other = Int.random(in: 0..<1_000, using: &random)
            for probe in ["i\(other)", "long-identifier-\(other)", "-", ""] {
                #expect(ids.contains(probe) == twin.contains(probe))
            }
        }
    }
}
