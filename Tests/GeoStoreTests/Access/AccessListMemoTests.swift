import Testing

@testable import GeoStore

@Suite("The last access list that was read")
struct AccessListMemoTests {
    private static func list(_ principal: String) -> StoredAccessList {
        var list = AccessList()
        list[principal] = .read
        return StoredAccessList(list)
    }

    @Test("belongs to its text alone, whatever the texts' lengths", arguments: [2, 40, 3_000])
    func belongsToItsText(length: Int) {
        let texts: [[UInt8]] = (0..<3).map { last in
            [UInt8](repeating: 7, count: length - 1) + [last]
        }
        var memo = AccessListMemo()
        let first = texts[0]
        let before = memo.list(of: first.span)
        #expect(before == nil)
        for (index, text) in texts.enumerated() {
            memo.keep(Self.list("user\(index)"), of: text.span)
            for (other, otherText) in texts.enumerated() {
                let expected = other == index ? Self.list("user\(index)") : nil
                let found = memo.list(of: otherText.span)
                #expect(found == expected)
            }
            let shorter = Array(text.dropLast())
            let found = memo.list(of: shorter.span)
            #expect(found == nil)
        }
    }

    @Test("is not kept when its text is long")
    func longIsNotKept() {
        var memo = AccessListMemo()
        let long = [UInt8](repeating: 1, count: 1 << 20)
        memo.keep(Self.list("a"), of: long.span)
        let found = memo.list(of: long.span)
        #expect(found == nil)
    }
}
