import Testing

@testable import TileRender

/// Every script that names on a map are written in: no glyph is missing, and letters that join are
/// shaped. The fonts are those of `scripts/packages.txt`.
@Suite("Text of every script")
struct GlyphCoverageTests {
    /// One word for each script; Latin and Cyrillic with the letters that fonts often lack.
    static let words = [
        ("Latin", "Łódź Þingvellir İzmir"), ("Vietnamese", "Đà Nẵng"),
        ("Cyrillic", "Їжевськ Ўзбекистан Қазақ"),
        ("Greek", "Θεσσαλονίκη"), ("Arabic", "القاهرة"), ("Persian", "گرگان پاکستان"),
        ("Hebrew", "ירושלים"),
        ("Syriac", "ܐܘܪܗܝ"), ("Thaana", "މާލެ"), ("N'Ko", "ߓߊߡߊߞߐ"), ("Devanagari", "नई दिल्ली क्षत्रिय"),
        ("Bengali", "কলকাতা ঢাকা"), ("Gurmukhi", "ਅੰਮ੍ਰਿਤਸਰ"), ("Gujarati", "અમદાવાદ"), ("Odia", "ଭୁବନେଶ୍ୱର"),
        ("Tamil", "சென்னை"), ("Telugu", "హైదరాబాద్"), ("Kannada", "ಬೆಂಗಳೂರು"), ("Malayalam", "തിരുവനന്തപുരം"),
        ("Sinhala", "කොළඹ"), ("Thai", "กรุงเทพ"), ("Lao", "ວຽງຈັນ"), ("Khmer", "ភ្នំពេញ"),
        ("Burmese", "ရန်ကုန်"),
        ("Tibetan", "ལྷ་ས"), ("Georgian", "თბილისი"), ("Armenian", "Երևան"), ("Amharic", "አዲስ አበባ"),
        ("Tifinagh", "ⵜⴰⵎⴰⵣⵉⵖⵜ"), ("Cherokee", "ᏣᎳᎩ"), ("Canadian syllabics", "ᐃᖃᓗᐃᑦ"),
        ("Mongolian", "ᠬᠣᠲᠠ"),
        ("Han, simplified", "广州 乌鲁木齐"), ("Han, traditional", "臺北 澳門"), ("Hiragana", "さいたま"),
        ("Katakana", "ニセコ"), ("Hangul", "서울 부산"), ("Bopomofo", "ㄅㄆㄇ"), ("Emoji", "🍜☕🗼"),
        ("Emoji by a selector", "☀️"), ("Numbers and marks", "№ 12½ – “x” · → €"),
    ]

    @Test("no glyph is missing, regular or bold", arguments: words)
    func coverage(script: String, word: String) throws {
        for isBold in [false, true] {
            let text = try TextLine(word, font: FontStyle(sizePixels: 14, isBold: isBold))
            #expect(text.missingGlyphs == 0, "\(script)")
            #expect(text.ink.width > 5 && text.ink.height > 4)
        }
    }

    @Test("what no font has is counted")
    func missing() throws {
        // A code point for private use.
        let text = try TextLine("a\u{f8f0}b", font: FontStyle(sizePixels: 14))
        #expect(text.missingGlyphs == 1)
    }

    @Test("scripts from right to left begin at the right", arguments: ["القاهرة", "ירושלים", "މާލެ"])
    func direction(word: String) throws {
        #expect(try TextLine(word, font: FontStyle(sizePixels: 14)).isRightToLeft)
        #expect(try !TextLine("Cairo", font: FontStyle(sizePixels: 14)).isRightToLeft)
    }

    @Test(
        "letters join as their script wants",
        arguments: ["لا", "क्ष", "ক্ষ", "ක්‍ෂ", "ក្រុង", "ந்", "ണ്ട", "မြို့"])
    func shaping(word: String) throws {
        // Shaped, the word has another width than its characters one by one.
        let font = FontStyle(sizePixels: 100)
        let whole = try TextLine(word, font: font).logical.width
        let apart = try word.unicodeScalars.reduce(0) { width, scalar in
            width + (try TextLine(String(scalar), font: font).logical.width)
        }
        #expect(whole < apart - 1)
    }

    @Test("emoji are drawn in their colours", arguments: [1, 2])
    func emoji(scale: Int) throws {
        let names = try CarriedMap.names.get()
        func sprite(_ text: String) throws -> LabelSprite {
            try LabelSprite(
                MapName(points: .food, rank: 0, text: text), side: .below, zoom: 17, scale: scale,
                names: names)
        }
        func colors(_ sprite: LabelSprite) -> Int {
            Set(sprite.pixels.filter { $0 >> 24 == 255 }.map { $0 & 0xe0_e0e0 }).count
        }
        let plain = try sprite("Ramen")
        let picture = try sprite("Ramen 🍜")
        #expect(picture.width > plain.width + 6 * scale)
        #expect(colors(picture) > colors(plain) + 5)
    }
}
