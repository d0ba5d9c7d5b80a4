import Glibc
import SyntheticCity

/// `geoservice synth`: synthetic cities, the same bytes for the same seed.
struct SynthCommand: Subcommand {
    static let usage = """
        usage: geoservice synth --points N [--cities K] [--seed S] [--format csv|geojsonl]

        Writes synthetic cities to standard output: the same seed gives the same bytes everywhere.
        The columns are id, lon, lat, kind, weight, time, owner and title.

          --points N    how many objects
          --cities K    how many cities they are in, 1 to 10000 (default \(CityGenerator.defaultCityCount))
          --seed S      a whole number (default \(CityGenerator.defaultSeed))
          --format F    csv (default) or geojsonl: one GeoJSON feature on each line

        example: geoservice synth --points 100000 | geoservice import - --format csv --layer Spots
        """

    private let generator: CityGenerator
    private let count: UInt64
    private let format: CityTextFormat

    init(_ arguments: [String]) throws {
        let flags = try Flags(
            arguments, valued: ["--points", "--cities", "--seed", "--format"])
        if let word = flags.words.first {
            throw UsageError(description: "synth takes no \(word)")
        }
        guard let points = try flags.number("--points", UInt64.self) else {
            throw UsageError(description: "synth needs --points N")
        }
        count = points
        let name = flags["--format"] ?? CityTextFormat.csv.rawValue
        guard let format = CityTextFormat(rawValue: name) else {
            throw UsageError(description: "--format must be csv or geojsonl")
        }
        self.format = format
        let cities = try flags.number("--cities", Int.self) ?? CityGenerator.defaultCityCount
        let seed = try flags.number("--seed", UInt64.self) ?? CityGenerator.defaultSeed
        do throws(CityGeneratorError) {
            generator = try CityGenerator(cityCount: cities, seed: seed)
        } catch {
            throw UsageError(description: "--cities: \(error)")
        }
    }

    func run() throws -> Int32 {
        var writer = CityTextWriter(generator, format: format, count: count)
        var bytes: [UInt8] = []
        while writer.next(into: &bytes) {
            switch Output.standard.write(bytes) {
            case 0: break
            // Who asked has seen enough, as `head` does.
            case EPIPE: return 0
            case let code: throw OutputError("standard output", code)
            }
            bytes.removeAll(keepingCapacity: true)
        }
        return 0
    }
}
