import GeoService
import Glibc

/// Why a command line cannot be carried out: printed with the hint to `--help`, exit 2.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}

/// The commands of the program.
enum Command {
    private static let usage = """
        geoservice: a location backend in which every object with a place is at once on a live map

        usage:
          geoservice serve [--data DIR] [--listen HOST:PORT] [--assets DIR] [--demo[=still]]
                           [--key-file FILE]
          geoservice --help | --version

        serve runs the service until it is interrupted.
          --data DIR          where everything is kept (default ./geodata; made when missing)
          --listen HOST:PORT  where to listen (default 127.0.0.1:8080; port 0 takes a free one)
          --assets DIR        the folder that holds web/ and world.geo (default: beside the program)
          --demo              make a city on the first start and keep it alive: people post, move,
                              like and expire; --demo=still leaves it alone
          --key-file FILE     a file with lines GEOSERVICE_MASTER_KEY=…, GEOSERVICE_REST_KEY=…

        Settings come from flags, then the environment (GEOSERVICE_LISTEN, GEOSERVICE_APP_ID,
        GEOSERVICE_REST_KEY, GEOSERVICE_MASTER_KEY, …), then DIR/config.json.
        """

    /// Runs a command line and gives the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        do {
            guard let name = arguments.first else {
                throw UsageError(description: "a command is missing")
            }
            let rest = Array(arguments.dropFirst())
            if arguments.contains("--help") || name == "-h" || name == "help" {
                print(usage)
                return 0
            }
            switch name {
            case "--version": print("geoservice 0.1.0")
            case "serve": try ServeCommand(rest).run()
            default: throw UsageError(description: "there is no command \(name)")
            }
            return 0
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
        let line = Array("geoservice: \(message)\n".utf8)
        _ = unsafe line.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
    }
}
