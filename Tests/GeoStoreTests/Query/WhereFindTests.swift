import JSONText
import Testing

@testable import GeoStore

@Suite("What finds ask beside the map")
struct WhereFindTests {
    @Test(
        "words are found as they are said",
        arguments: [
            ("the quick brown fox", "quick", 1), ("the quick brown fox", "QUICK slow", 1),
            ("fox and fox", "fox", 2), ("slow red fox", "quick", 0), ("quickly", "quick", 0),
            ("café au lait", "cafe", 1), ("cafe", "CAFÉ", 1), ("a \u{65}\u{301}b", "eb", 1),
            ("red fox", "\"red fox\"", 2), ("red big fox", "\"red fox\"", 0),
            ("red fox", "fox -red", 0), ("blue fox", "fox -red", 1), ("straße", "strasse", 0),
            ("", "x", 0), ("x", "", 0), ("don't", "don", 1), ("ÅNGSTRÖM", "angstrom", 1),
        ])
    func words(text: String, term: String, score: Int) {
        let words = WhereWords(term, keepsCase: false, keepsAccents: false)
        #expect(words.score(of: text) == score)
    }

    @Test("case and accents count when the query says so")
    func exactWords() {
        #expect(WhereWords("Fox", keepsCase: true, keepsAccents: false).score(of: "fox") == 0)
        #expect(WhereWords("Fox", keepsCase: true, keepsAccents: false).score(of: "Fox") == 1)
        #expect(WhereWords("cafe", keepsCase: false, keepsAccents: true).score(of: "café") == 0)
    }

    @Test(
        "times that are relative to now",
        arguments: [
            ("now", 0), ("12 days ago", -12 * 86_400_000), ("in 1 day", 86_400_000),
            ("in 1 year 2 weeks 30 days", (365 + 14 + 30) * 86_400_000),
            ("1 hr 2 min 3 s ago", -3_723_000), ("IN 2 Hours", 7_200_000),
        ] as [(String, Int64)])
    func relative(text: String, offset: Int64) {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        #expect(
            RelativeTime.time(text, now: now)?.milliseconds == now.milliseconds + offset)
    }

    @Test(
        "what says no time",
        arguments: [
            "", "in", "ago", "12 days", "in 12 days ago", "days ago", "in 1 fortnight", "in x days",
            "in -1 days", "in 1.5 days", "in 999999999999 years", "in 1", "yesterday",
        ])
    func noTime(text: String) {
        #expect(RelativeTime.time(text, now: Timestamp(milliseconds: 0)) == nil)
    }
}
