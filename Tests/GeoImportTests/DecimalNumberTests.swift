import JSONText
import Testing

@testable import GeoImport

@Suite("Decimal numbers")
struct DecimalNumberTests {
    static func number(_ text: String) -> DecimalNumber? {
        let bytes = Array(text.utf8)
        return DecimalNumber(bytes.span, bytes.indices)
    }

    @Test(
        "the double is the nearest one",
        arguments: [
            "0", "1", "-1", "13.405", "-179.99999999999997", "0.1", "9007199254740993",
            "9007199254740992", "1e22", "1e23", "123456789012345678901234567890", "2.5e-310",
            "4.9e-324", "1e-400", "1.7976931348623157e308", "0.30000000000000004",
            "8.5e-5", "12345678901234567e-20", "0.000000000000000000000000000001", "1E+5",
            "6.0221407600000000000000000000000001e23", "5e-1", "00012.5", "+7.25", ".5", "5.",
        ])
    func exact(text: String) throws {
        #expect(try #require(Self.number(text)).value == Double(text))
    }

    @Test("random numbers read as the standard library reads them", arguments: 0..<32)
    func randomNumbers(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            var text = Bool.random(using: &random) ? "-" : ""
            for _ in 0..<Int.random(in: 1...22, using: &random) {
                text += String(Int.random(in: 0...9, using: &random))
            }
            if Bool.random(using: &random) {
                text += "."
                for _ in 0..<Int.random(in: 1...22, using: &random) {
                    text += String(Int.random(in: 0...9, using: &random))
                }
            }
            if Bool.random(using: &random) {
                text += "e\(Int.random(in: -60...60, using: &random))"
            }
            let number = try #require(Self.number(text), "\(text)")
            #expect(number.value == Double(text), "\(text)")
            #expect(number.integer == Int64(text) || number.integer == nil, "\(text)")
        }
    }

    @Test(
        "what is not a decimal number is refused",
        arguments: [
            "", "-", "+", ".", "e5", "1e", "1e+", "1.2.3", "1,5", "nan", "inf", "Infinity", "0x10",
            "1 ", " 1", "1_000", "--1", "+-1", "١٢", "1e400", "-1e400", "1e999999999999999999999",
        ])
    func refused(text: String) {
        #expect(Self.number(text) == nil)
    }

    @Test("JSON's spelling is what the JSON reader takes", arguments: 0..<16)
    func jsonSpelling(seed: Int) {
        var random = SeededRandom(seed: seed)
        let letters = Array("0011235.-+eE")
        for _ in 0..<2000 {
            let text = String(
                (0..<Int.random(in: 1...6, using: &random)).map { _ in
                    letters[Int.random(in: 0..<letters.count, using: &random)]
                })
            let isJSON = (try? JSONParser.parse(text: text))?.doubleValue != nil
            #expect((Self.number(text)?.isJSON ?? false) == isJSON, "\(text)")
        }
    }

    @Test("whole numbers are exact as far as 64 bits go")
    func integers() {
        #expect(Self.number("9223372036854775807")?.integer == .max)
        #expect(Self.number("9223372036854775808")?.integer == nil)
        #expect(Self.number("9223372036854775808")?.isExact == false)
        #expect(Self.number("123456789012345678901")?.isExact == false)
        #expect(Self.number("-42")?.integer == -42)
        #expect(Self.number("-0")?.integer == nil)
        #expect(Self.number("-0")?.value.sign == .minus)
        #expect(Self.number("1.5")?.isExact == true)
    }
}
