/// What the command line asks for.
struct Options {
    static let usage = """
        GeoBench: measures the index and the tiles of this process

        usage:
          GeoBench [--size N] [--input city|DIR] [--only PREFIX] [--runs N] [--json]
                   [--pictures DIR]
          GeoBench --export DIR [--size N]

          --size N       objects: a number, or one with k or M behind it (default 1M)
          --input        city: our synthetic cities (default); DIR: a folder with points_N.csv,
                         nearest.csv, radius.csv, viewports.csv and tiles.csv
          --only PREFIX  benchmarks whose name begins so: index.nearest, tile
          --runs N       runs that the figures are medians of (default 3)
          --json         a line of JSON for each benchmark
          --pictures DIR writes the files of tile.png there, for programs that encode them anew
          --export DIR   writes the city and its questions for other programs, measures nothing
        """

    var size = "1M"
    var count = 1_000_000
    var folder: String?
    var prefix = ""
    var runs = 3
    var isJSON = false
    var exportFolder: String?
    var picturesFolder: String?

    /// Reads arguments.
    ///
    /// - Throws: ``UsageError``.
    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            if name == "--json" {
                isJSON = true
                continue
            }
            guard let value = rest.popFirst() else {
                throw UsageError(description: "\(name) needs a value, or is no option")
            }
            switch name {
            case "--size":
                count = try Options.count(value)
                size = value
            case "--input": folder = value == "city" ? nil : value
            case "--only": prefix = value
            case "--runs":
                guard let number = Int(value), (1...100).contains(number) else {
                    throw UsageError(description: "--runs is a whole number from 1 to 100")
                }
                runs = number
            case "--export": exportFolder = value
            case "--pictures": picturesFolder = value
            default: throw UsageError(description: "there is no option \(name)")
            }
        }
    }

    /// `100k`, `1M` or a plain number.
    private static func count(_ text: String) throws(UsageError) -> Int {
        let (digits, unit) =
            switch text.last {
            case "k", "K": (text.dropLast(), 1_000)
            case "m", "M": (text.dropLast(), 1_000_000)
            default: (text[...], 1)
            }
        guard let number = Int(digits), (1...1_000_000_000).contains(number),
            (1_000...100_000_000).contains(number * unit)
        else {
            throw UsageError(description: "--size is from 1000 to 100M, such as 100k")
        }
        return number * unit
    }
}

/// Why a command line cannot be carried out.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}
