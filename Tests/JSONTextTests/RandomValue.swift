import JSONText
import TestSupport

/// Values of every kind, sizes on both sides of the object's index threshold.
enum RandomValue {
    static func make(depth: Int, using random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int64(bitPattern: random.next()))
        case 3: return .integer(Int64.random(in: -100...100, using: &random))
        case 4: return .number(Double.random(in: -180...180, using: &random))
        case 5: return .string(text(using: &random))
        case 6:
            return .array(
                (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    make(depth: depth - 1, using: &random)
                })
        default:
            var members = JSONObject()
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                members[text(using: &random)] = make(depth: depth - 2, using: &random)
            }
            return .object(members)
        }
    }

    static func text(using random: inout SeededGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let limit: UInt32 = [0x20, 0x7F, 0x800, 0x11_0000][
                Int.random(in: 0..<4, using: &random)]
            // Surrogates are no scalars; they are left out.
            if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &random)) {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
