import GeoService
import Glibc

/// `geoservice serve`: runs the service until it is interrupted.
struct ServeCommand: Subcommand {
    static let usage = """
        usage: geoservice serve [OPTIONS]

        Runs the service until it is interrupted, and prints "listening on http://…" when it is
        ready.

          --data DIR          where everything is kept (default ./geodata; made when missing)
          --listen HOST:PORT  where to listen (default 127.0.0.1:8080; port 0 takes a free one)
          --store sqlite      how it is kept; this version has SQLite only
          --assets DIR        the folder that holds web/ and world.geo (default: beside the program)
          --router URL        an OSRM or Valhalla that answers directions in the place of
                              straight-line hints; {profile} in it becomes foot, bike or car
          --demo              make a city on the first start and keep it alive: people post, move,
                              like and expire; --demo=still leaves it alone
          --key-file FILE     a file with lines GEOSERVICE_MASTER_KEY=…, GEOSERVICE_REST_KEY=…

        Settings come from flags, then the environment (GEOSERVICE_LISTEN, GEOSERVICE_APP_ID,
        GEOSERVICE_REST_KEY, GEOSERVICE_MASTER_KEY, …), then DIR/config.json.
        """

    private let configuration: Configuration

    init(_ arguments: [String]) throws {
        let flags = try Flags(
            arguments,
            valued: ["--data", "--listen", "--store", "--assets", "--router", "--key-file"],
            bare: ["--demo"])
        guard flags.words.isEmpty else {
            throw UsageError(description: "serve takes no \(flags.words[0])")
        }
        var configuration = try Settings(flags).configuration
        if let listen = flags["--listen"] { configuration.listen = listen }
        if let assets = flags["--assets"] { configuration.assets = assets }
        if let store = flags["--store"] { try configuration.set("GEOSERVICE_STORE", store) }
        if let router = flags["--router"] { try configuration.set("GEOSERVICE_ROUTER", router) }
        switch flags["--demo"] {
        case nil: break
        case "": configuration.demo = .living
        case "still": configuration.demo = .still
        case let other?:
            throw UsageError(description: "--demo=\(other) is neither --demo nor --demo=still")
        }
        self.configuration = configuration
    }

    func run() throws -> Int32 {
        // Blocked before any thread is made, so that all of them leave the signals to this one.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM] { unsafe sigaddset(&signals, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        let service = try Service(configuration) { Command.complain($0) }
        for notice in service.notices { Command.complain(notice) }
        print("listening on \(service.url)")
        fflush(nil)
        var received: Int32 = 0
        unsafe sigwait(&signals, &received)
        Command.complain("stopping")
        // A second signal ends the process at once.
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        service.stop()
        return 0
    }
}

/// The process's environment.
enum Environment {
    static var variables: [String: String] {
        var variables: [String: String] = [:]
        guard var next = unsafe environ as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        else { return variables }
        while let entry = unsafe next.pointee {
            let text = unsafe String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            unsafe next += 1
        }
        return variables
    }
}
