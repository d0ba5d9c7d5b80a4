import GeoIndex
import Testing

@testable import GeoService

@Suite("Instructions")
struct InstructionTests {
    @Test(
        "lengths are said in the unit that fits",
        arguments: [
            (0.4, "0 m"), (850, "850 m"), (999.4, "999 m"), (999.6, "1.0 km"), (1_249, "1.2 km"),
            (1_250, "1.3 km"), (99_940, "99.9 km"), (99_960, "100 km"), (931_561.9, "932 km"),
            (20_015_114.4, "20015 km"),
        ])
    func lengths(meters: Double, text: String) {
        #expect(Instruction.text(of: .meters(meters)) == text)
    }

    @Test("a leg is said with its direction and length")
    func sentence() {
        let start = RoundedPosition(lonE7: 134_050_000, latE7: 525_200_000)
        let end = RoundedPosition(lonE7: 134_170_000, latE7: 525_275_000)
        #expect(
            Instruction.head(along: GreatCircle(from: start, to: end))
                == "Head north-east for 1.2 km")
        #expect(
            Instruction.head(along: GreatCircle(from: end, to: start))
                == "Head south-west for 1.2 km")
        #expect(Instruction.head(along: GreatCircle(from: end, to: end)) == "Stay where you are")
        #expect(Instruction.arrive(atEndOf: 1, of: 2) == "You have arrived at your destination")
        #expect(Instruction.arrive(atEndOf: 0, of: 2) == "You have arrived at stop 1 of 2")
    }
}
