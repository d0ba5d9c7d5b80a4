/// The words that titles are made of. None needs escaping in JSON; some titles hold a comma, so
/// that a reader of the CSV meets quotes.
enum TitleWords {
    static func title(kind: CityKind, bits: UInt64) -> String {
        var random = SplitMix64(seed: bits)
        func pick(_ words: [String], _ random: inout SplitMix64) -> String {
            words[Int(random.below(UInt32(words.count)))]
        }
        switch kind {
        case .marker:
            let shop = pick(shops, &random)
            return random.below(2) == 0
                ? shop + " " + pick(families, &random)
                : shop + " on " + pick(streets, &random)
        case .event:
            return pick(gatherings, &random) + " at " + pick(venues, &random)
        case .trade:
            let offer = random.below(4) == 0 ? "Looking for " : "Selling "
            return offer + pick(goods, &random) + pick(conditions, &random)
        case .photo:
            return pick(sights, &random) + " " + pick(moments, &random)
        case .track:
            let tenths = 20 + random.below(180)
            return pick(outings, &random) + ", \(tenths / 10).\(tenths % 10) km"
        }
    }

    static let shops = [
        "Bakery", "Café", "Bookshop", "Pharmacy", "Florist", "Bike repair", "Barber", "Bistro",
        "Pizzeria", "Tea house", "Record store", "Dentist", "Greengrocer", "Library", "Gallery",
        "Playground", "Cinema", "Tailor", "Ice cream parlour", "Noodle bar", "Hostel", "Gym",
    ]
    static let families = [
        "Adler", "Moreau", "Okafor", "Tanaka", "Silva", "Novák", "Lindqvist", "Rossi", "Haddad",
        "Nguyen", "Kowalski", "O’Brien", "Yılmaz", "Mensah", "Petrova", "García", "Chen", "Iyer",
    ]
    static let streets = [
        "Mill Lane", "Station Road", "Harbour Street", "Linden Avenue", "Church Row", "Market Hill",
        "Orchard Way", "Bridge Street", "Canal Walk", "North Gate", "Garden Square",
        "Museum Street",
        "Rope Alley", "Fountain Court", "Tower Road", "Chestnut Grove", "River Terrace", "Old Dock",
    ]
    static let gatherings = [
        "Open-air concert", "Flea market", "Chess evening", "Street food festival", "Poetry slam",
        "Board game night", "Lantern walk", "Swap party", "Five-a-side tournament", "Film night",
        "Language exchange", "Harvest fair", "Jazz brunch", "Repair workshop", "Charity run",
    ]
    static let venues = [
        "the old brewery", "the town hall", "the west pier", "the botanical garden", "the depot",
        "the community centre", "the university", "the central station", "the boathouse",
        "the market hall", "the stadium", "the courtyard theatre",
    ]
    static let goods = [
        "a road bike", "an oak desk", "a record player", "two concert tickets", "a film camera",
        "a child seat", "moving boxes", "a guitar", "a bookshelf", "a sewing machine",
        "house plants",
        "a tent for four", "a coffee grinder", "a winter coat", "an electric piano", "a pushchair",
    ]
    static let conditions = [
        "", "", "", ", like new", ", well used", ", with receipt", ", pick-up only", ", fair price",
    ]
    static let sights = [
        "Sunset", "Street art", "Rooftops", "A heron", "Fog", "Cherry blossom", "Tram lines",
        "Market colours", "Reflections", "The skyline", "A quiet bench", "Snow", "Night lights",
    ]
    static let moments = [
        "by the river", "after the rain", "from the bridge", "on my way to work", "in the park",
        "before dawn", "behind the station", "at the harbour", "from the tower",
        "around the corner",
    ]
    static let outings = [
        "Morning run", "Evening walk", "Lunch break loop", "Long ride", "Ride to work", "Trail run",
        "Walk with the dog", "Photo walk", "Sunday tour", "Inline skating",
    ]
}
