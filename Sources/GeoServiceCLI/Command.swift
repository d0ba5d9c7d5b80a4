import GeoService
import Glibc

/// Why a command line cannot be carried out: printed with the hint to `--help`, exit 2.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}

/// One command of the program.
protocol Subcommand {
    /// What `--help` says.
    static var usage: String { get }
    /// Reads the arguments behind the command's name.
    ///
    /// - Throws: ``UsageError`` and what the settings throw.
    init(_ arguments: [String]) throws
    /// Does the work and gives the exit status.
    func run() throws -> Int32
}

/// The commands of the program.
enum Command {
    static let version = "0.1.0"

    private static var all: [(name: String, type: any Subcommand.Type, summary: String)] {
        [
            ("serve", ServeCommand.self, "run the service until it is interrupted"),
            ("import", ImportCommand.self, "put files of places into a layer"),
            ("export", ExportCommand.self, "put a layer's tiles into one file"),
            ("render", RenderCommand.self, "draw a tile or a box into a file"),
            ("synth", SynthCommand.self, "write synthetic cities to standard output"),
        ]
    }

    /// What later versions have.
    private static let later: Set<String> = ["check", "backup", "restore"]

    private static var usage: String {
        let width = (all.map(\.name.count).max() ?? 0) + 2
        let lines = all.map { command in
            "  \(command.name.padded(to: width))\(command.summary)"
        }
        return """
            geoservice: a location backend in which every object with a place is at once on a live map

            usage: geoservice COMMAND [OPTIONS]

            \(lines.joined(separator: "\n"))

              geoservice COMMAND --help   says what a command takes
              geoservice --version

            Settings come from flags, then the environment (GEOSERVICE_LISTEN, GEOSERVICE_APP_ID,
            GEOSERVICE_REST_KEY, GEOSERVICE_MASTER_KEY, …), then DIR/config.json.
            """
    }

    /// Runs a command line and gives the exit status: 0, 1 for a failure, 2 for a command line
    /// that makes no sense, 3 when an import left rows out.
    static func run(_ arguments: [String]) -> Int32 {
        do {
            guard let name = arguments.first else {
                throw UsageError(description: "a command is missing")
            }
            switch name {
            case "--help", "-h", "help":
                print(usage)
                return 0
            case "--version":
                print("geoservice \(version)")
                return 0
            default: break
            }
            guard let command = all.first(where: { $0.name == name }) else {
                let isLater = later.contains(name)
                throw UsageError(
                    description: isLater
                        ? "this version has no command \(name) yet" : "there is no command \(name)")
            }
            let rest = Array(arguments.dropFirst())
            if rest.contains("--help") || rest.contains("-h") {
                print(command.type.usage)
                return 0
            }
            return try command.type.init(rest).run()
        } catch let error as UsageError {
            complain("\(error)\n'geoservice --help' lists the commands and their options.")
            return 2
        } catch {
            complain("\(error)")
            return 1
        }
    }

    /// Writes a message for a person to standard error.
    static func complain(_ message: String) {
        Output.error.write(Array("geoservice: \(message)\n".utf8))
    }
}

extension String {
    /// The text with spaces behind it.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
