import CVips
import Dispatch
import Glibc
import TestSupport
import Testing

@testable import GeoService

@Suite("Decoding pictures")
struct PictureWorksTests {
    @Test("is refused with 503 when too many wait, and leaves nothing")
    func bounded() throws {
        let scratch = try ScratchDirectory()
        let folder = try FileFolder(in: scratch.path)
        let pool = WorkPool(threads: 1, queueLimit: 1)
        let hold = DispatchSemaphore(value: 0)
        let isHeld = DispatchSemaphore(value: 0)
        #expect(
            pool.submit {
                isHeld.signal()
                hold.wait()
            })
        isHeld.wait()
        #expect(pool.submit {})
        let works = PictureWorks(pool: pool)
        let file = try folder.makeIncoming()
        let problem = #expect(throws: Problem.self) {
            try works.convert(file, .png, in: folder) { _ in Issue.record("it was not taken") }
        }
        #expect(problem?.status == .serviceUnavailable)
        #expect(problem?.headers.contains { $0.value == "5" } == true)
        hold.signal()
        pool.shut()
    }

    @Test("takes the arguments that the service gives, and no others")
    func arguments() {
        let command = PictureDecoder.command
        for arguments in [
            [], [command], [command, "convert", "svg", "0"], [command, "convert", "pdf", "0"],
            [command, "convert", "png", "x"], [command, "convert", "png", "0", "0"],
        ] {
            #expect(PictureDecoder.run(arguments) == 2)
        }
    }

    @Test("opens no file, connection or program once it is sealed")
    func sealed() async {
        await #expect(processExitsWith: .exitCode(7)) {
            guard cvips_seal() == 0 else { exit(7) }  // No filters here: nothing to test.
            guard unsafe open("/etc/hostname", O_RDONLY) == -1, errno == EACCES,
                socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) == -1, errno == EACCES,
                unsafe execv("/bin/true", [nil]) == -1, errno == EACCES, isSpawningRefused()
            else { exit(1) }
            exit(7)
        }
    }
}

/// Whether a thread can still be started, which decoders need, and a process cannot.
private func isSpawningRefused() -> Bool {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { done.signal() }
    done.wait()
    var child: pid_t = 0
    return unsafe posix_spawn(&child, "/bin/true", nil, nil, [nil], nil) != 0
}
