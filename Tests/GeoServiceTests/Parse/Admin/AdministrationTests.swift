import Dispatch
import GeoStore
import JSONText
import Testing

@testable import GeoService

@Suite("Changes of classes as a whole")
struct AdministrationTests {
    @Test("a removal that a former process left half done is finished at the start")
    func unfinishedRemoval() throws {
        let service = try TestService()
        let store = service.core.store
        for number in 0..<6 as Range<Int64> {
            _ = try service.create("T", ["old": .integer(number), "n": 1])
        }
        let next = try store.write { try $0.removeField("old", of: "T", limit: 2) }
        #expect(next != nil)
        #expect(store.catalog["T"]?.removedFields == ["old"])
        // Half gone, it is not among the fields any more.
        let half = try service.call("GET", "/schemas/T", as: .master).json
        #expect(half["fields"]?["old"] == nil && half["fields"]?["n"] != nil)
        service.core.administration.start()
        let done = DispatchSemaphore(value: 0)
        #expect(service.core.administration.pool.submit { done.signal() })
        done.wait()
        #expect(store.catalog["T"]?.fields["old"] == nil)
        #expect(store.catalog["T"]?.removedFields.isEmpty == true)
        for object in try service.call("GET", "/classes/T").results {
            #expect(object["old"] == nil && object["n"] == 1)
        }
    }

    @Test("the settings of a class go when nothing is left of them")
    func emptySettings() throws {
        let service = try TestService()
        let store = service.core.store
        let rule: JSONValue = ["fields": ["a": ["type": "Number", "required": true]]]
        #expect(try service.call("POST", "/schemas/T", rule, as: .master).status == 200)
        #expect(store.catalog["T"]?.settings == ["fields": ["a": ["required": true]]])
        let plain: JSONValue = ["fields": ["a": ["type": "Number"]]]
        #expect(try service.call("PUT", "/schemas/T", plain, as: .master).status == 200)
        #expect(store.catalog["T"]?.settings == nil)
    }

    @Test("what permissions keep of a class goes with it")
    func recreated() throws {
        let service = try TestService()
        let closed: JSONValue = ["classLevelPermissions": ["create": [:]]]
        #expect(try service.call("POST", "/schemas/T", closed, as: .master).status == 200)
        #expect(try service.call("POST", "/classes/T", ["n": 1]).code == 119)
        #expect(try service.call("DELETE", "/schemas/T", as: .master).status == 200)
        #expect(try service.call("POST", "/classes/T", ["n": 1]).status == 201)
    }
}
