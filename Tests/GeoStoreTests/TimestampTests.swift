import GeoStore
import TestSupport
import Testing

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "instants are written with three digits and read back",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_777_863_721_000, "2026-05-04T03:02:01.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func known(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
        #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test(
        "other spellings of RFC 3339 are the same instant",
        arguments: [
            ("2026-05-04T03:02:01Z", 1_777_863_721_000),
            ("2026-05-04t03:02:01.5z", 1_777_863_721_500),
            ("2026-05-04T03:02:01.123456789Z", 1_777_863_721_123),
            ("2026-05-04T05:02:01.000+02:00", 1_777_863_721_000),
            ("2026-05-03T21:32:01-05:30", 1_777_863_721_000),
        ] as [(String, Int64)])
    func spellings(text: String, milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test(
        "what is no instant is refused",
        arguments: [
            "", "2026", "2026-05-04", "2026-05-04T03:02:01", "2026-05-04 03:02:01Z",
            "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z", "2026-01-32T00:00:00Z", "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.1234567890Z",
            "2026-01-01T00:00:00.000Zx", "2026-01-01T00:00:00+2:00", "2026-01-01T00:00:00+24:00",
            "-026-01-01T00:00:00Z", "２026-01-01T00:00:00Z",
        ])
    func refused(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(
        "any instant of the ten thousand years reads back as itself",
        arguments: 0..<16 as Range<UInt64>)
    func roundTrip(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            let milliseconds = Int64.random(
                in: -62_167_219_200_000...253_402_300_799_999, using: &random)
            let text = Timestamp(milliseconds: milliseconds).description
            #expect(text.utf8.count == 24)
            #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
        }
    }

    @Test("days follow one another through leap years and centuries")
    func days() {
        var last = ""
        for day in -720_000...720_000 where day % 7 == 0 || day % 1461 < 3 {
            let text = Timestamp(milliseconds: Int64(day) * 86_400_000).description
            guard day >= -719_528 else { continue }
            #expect(text > last)
            last = text
        }
    }
}
