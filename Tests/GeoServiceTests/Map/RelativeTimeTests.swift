import GeoStore
import Testing

@testable import GeoService

struct RelativeTimeTests {
    private let now = Timestamp(milliseconds: 1_800_000_059_999)

    @Test(
        "a span goes back from the whole minute",
        arguments: [
            ("0m", 1_800_000_000_000), ("90m", 1_799_994_600_000), ("24h", 1_799_913_600_000),
            ("7d", 1_799_395_200_000), ("2w", 1_798_790_400_000),
        ])
    func spans(text: String, milliseconds: Int64) {
        #expect(RelativeTime.parse(text, now: now)?.milliseconds == milliseconds)
    }

    @Test("a time is taken as it is")
    func times() {
        let text = "2026-05-04T03:02:01.007Z"
        #expect(RelativeTime.parse(text, now: now) == Timestamp(rfc3339: text))
    }

    @Test(
        "anything else is no time",
        arguments: [
            "", "h", "-1h", "1", "1y", "1.5h", "24 h", "9223372036854775807d", "999999999999m",
            "２h",
            "yesterday", "2026-13-01T00:00:00Z",
        ])
    func others(text: String) {
        #expect(RelativeTime.parse(text, now: now) == nil)
    }
}
