import Testing

@testable import GeoService

@Suite("Names of files")
struct FileNameTests {
    @Test("follow Parse's rule", arguments: ["a", "_", "9.txt", "a b@c~d-e.f", "A..", "a."])
    func allowed(name: String) throws {
        try FileName.check(given: name)
        let made = FileName(given: name)
        #expect(made.id.utf8.count == FileName.idLength)
        #expect(FileName(made.text) == made)
        #expect(FileName(given: name) != made, "the digits are random")
    }

    @Test(
        "are refused otherwise",
        arguments: [
            "", ".", "..", ".a", "-a", " a", "@a", "~a", "a/b", "a\\b", "a\0", "a\n", "a$", "ä",
            "a%",
            "a;b", "a\"", String(repeating: "a", count: 129),
        ])
    func refused(name: String) {
        let error = #expect(throws: ParseError.self) { try FileName.check(given: name) }
        #expect(error?.code == .invalidFileName)
    }

    @Test(
        "are no path, whoever makes them up",
        arguments: [
            "", "a", "../../../../../../../../../../etc/passwd",
            "0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef_",
            "0123456789abcdef0123456789abcdeg_a", "0123456789ABCDEF0123456789ABCDEF_a",
            "0123456789abcdef0123456789abcdef_../a", "0123456789abcdef0123456789abcdefa_b",
            "0123456789abcdef0123456789abcde/_a",
            "0123456789abcdef0123456789abcdef_" + String(repeating: "a", count: 200),
        ])
    func foreign(name: String) { #expect(FileName(name) == nil) }

    @Test(
        "have an extension",
        arguments: [
            ("a.JPG", "jpg"), ("a.b.c", "c"), ("a", nil), ("a.", nil), (".a", nil),
            ("_.x y", "x y"),
        ] as [(String, String?)])
    func extensions(name: String, expected: String?) {
        #expect(FileName.fileExtension(of: name) == expected)
    }
}
