import Glibc

@testable import TileRender

/// How sRGB colours look to people who lack one kind of cone.
///
/// Source: G. Machado, M. Oliveira, L. Fernandes, "A physiologically-based model for simulation of
/// color vision deficiency", 2009, the matrices of severity 1.0, on linear light.
enum ColorVision: String, CaseIterable {
    case full, protanopia, deuteranopia, tritanopia

    private var matrix: [[Double]] {
        switch self {
        case .full: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        case .protanopia:
            [
                [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                [-0.003882, -0.048116, 1.051998],
            ]
        case .deuteranopia:
            [
                [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                [-0.011820, 0.042940, 0.968881],
            ]
        case .tritanopia:
            [
                [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                [0.004733, 0.691367, 0.303900],
            ]
        }
    }

    func seen(_ color: Color) -> Color {
        let light = [color.red, color.green, color.blue].map { channel in
            let value = Double(channel) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        let channels = matrix.map { row -> UInt8 in
            let sum: Double = row[0] * light[0] + row[1] * light[1] + row[2] * light[2]
            let bent = sum <= 0.0031308 ? 12.92 * sum : 1.055 * pow(sum, 1 / 2.4) - 0.055
            return UInt8((min(max(bent, 0), 1) * 255).rounded())
        }
        return Color(red: channels[0], green: channels[1], blue: channels[2])
    }
}

extension Color {
    /// The colour over an opaque one.
    func over(_ ground: Color) -> Color {
        func channel(_ own: UInt8, _ below: UInt8) -> UInt8 {
            let share = Int(alpha)
            let sum = Int(own) * share + Int(below) * (255 - share)
            return UInt8((sum + 127) / 255)
        }
        return Color(
            red: channel(red, ground.red), green: channel(green, ground.green),
            blue: channel(blue, ground.blue))
    }
}
