import Testing

@testable import TileRender

@Suite("Canvas")
struct CanvasTests {
    @Test("a filled square has exactly its pixels")
    func square() throws {
        let canvas = try Canvas(widthPixels: 5, heightPixels: 4, format: .color)
        canvas.rectangle(x: 1, y: 1, width: 2, height: 2)
        canvas.fill(Color(0x12_3456))
        let pixels = try canvas.straightPixels()
        var expected = [UInt32](repeating: 0, count: 20)
        for index in [6, 7, 11, 12] { expected[index] = 0xff12_3456 }
        #expect(pixels == expected)
    }

    @Test("half-covered pixels keep their colour and take half the alpha")
    func halves() throws {
        let canvas = try Canvas(widthPixels: 2, heightPixels: 1, format: .color)
        canvas.rectangle(x: 0, y: 0, width: 0.5, height: 1)
        canvas.fill(Color(0xff_0000))
        let pixels = try canvas.straightPixels()
        #expect((127...128).contains(pixels[0] >> 24))
        #expect(pixels[0] & 0xff_ffff == 0xff_0000)
        #expect(pixels[1] == 0)
    }

    @Test("coverage rows are read without Cairo's padding", arguments: 1...9)
    func coverageRows(width: Int) throws {
        let canvas = try Canvas(widthPixels: width, heightPixels: 3, format: .coverage)
        canvas.rectangle(x: 0, y: 1, width: Double(width), height: 1)
        canvas.fill(.black)
        let coverage = try canvas.coverage()
        let empty = [UInt8](repeating: 0, count: width)
        #expect(coverage == empty + [UInt8](repeating: 255, count: width) + empty)
    }

    @Test("sizes out of range are errors", arguments: [(0, 1), (1, 0), (-1, 5), (8449, 1)])
    func sizes(width: Int, height: Int) {
        var caught: CanvasError?
        do throws(CanvasError) {
            _ = try Canvas(widthPixels: width, heightPixels: height, format: .color)
        } catch { caught = error }
        #expect(caught == .size(widthPixels: width, heightPixels: height))
    }

    @Test("the pixels of the other format are an error")
    func formats() throws {
        let canvas = try Canvas(widthPixels: 1, heightPixels: 1, format: .coverage)
        var caught: CanvasError?
        do throws(CanvasError) { _ = try canvas.straightPixels() } catch { caught = error }
        #expect(caught == .format)
    }

    @Test(
        "a text stays inside its ink box, and moves as a whole",
        arguments: ["Berlin", "東京", "القاهرة", "Ærø 3,14", "12k"])
    func text(name: String) throws {
        let text = try TextLine(name, font: FontStyle(sizePixels: 14))
        let left = text.ink.left
        let right = left + text.ink.width
        let top = text.ink.top
        let bottom = top + text.ink.height
        func drawn(x: Int, y: Int) throws -> [UInt8] {
            let canvas = try Canvas(widthPixels: 160, heightPixels: 80, format: .coverage)
            canvas.draw(text, x: Double(x), y: Double(y), color: .black)
            return try canvas.coverage()
        }
        let first = try drawn(x: 20, y: 30)
        let second = try drawn(x: 37, y: 41)
        var inked = 0
        for y in 0..<60 {
            for x in 0..<140 where first[y * 160 + x] > 0 {
                inked += 1
                #expect(Double(x - 20) >= left.rounded(.down) - 1)
                #expect(Double(x - 20) <= right.rounded(.up))
                #expect(Double(y - 30) >= top.rounded(.down) - 1)
                #expect(Double(y - 30) <= bottom.rounded(.up))
                #expect(first[y * 160 + x] == second[(y + 11) * 160 + x + 17])
            }
        }
        #expect(inked > 20)
    }
}
