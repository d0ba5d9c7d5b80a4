import GeoStore
import Glibc

/// Why a mail was not sent.
struct MailError: Error, CustomStringConvertible {
    /// A sentence for the operator, without addresses.
    let description: String
}

/// Where mail goes.
protocol Outbox: Sendable {
    /// Hands a mail over. Blocks.
    ///
    /// - Throws: ``MailError``.
    func send(_ message: MailMessage) throws(MailError)
}

/// A folder that each mail becomes a file of, for whatever sends it on, and for trying things out.
struct FileOutbox: Outbox {
    /// The folder, made with mode 0700 when it is missing; files have mode 0600.
    let folder: String
    let sender: String

    /// More waiting files than this are not added to: nobody takes them.
    private static let greatestCount = 10_000

    func send(_ message: MailMessage) throws(MailError) {
        let made = unsafe mkdir(folder, 0o700)
        guard made == 0 || errno == EEXIST else {
            throw MailError(description: "the outbox folder cannot be made")
        }
        guard try count() < Self.greatestCount else {
            throw MailError(description: "the outbox has \(Self.greatestCount) files already")
        }
        let time = Timestamp.now()
        let id = "\(time.milliseconds)-\(ObjectID.random())"
        do {
            try SmallFile.write(
                message.encoded(from: sender, at: time, id: id), to: "\(folder)/\(id).eml")
        } catch {
            throw MailError(description: error.description)
        }
    }

    private func count() throws(MailError) -> Int {
        guard let entries = unsafe opendir(folder) else {
            throw MailError(description: "the outbox folder cannot be read")
        }
        defer { unsafe closedir(entries) }
        var count = 0
        while unsafe readdir(entries) != nil, count < Self.greatestCount + 2 { count += 1 }
        return count - 2
    }
}

/// A mail server.
struct SMTPOutbox: Outbox {
    let server: MailServer
    let sender: String

    func send(_ message: MailMessage) throws(MailError) {
        let call = try SMTPCall(server)
        let id = "\(Timestamp.now().milliseconds)-\(ObjectID.random())"
        try call.send(
            message.encoded(from: sender, at: .now(), id: id), from: sender, to: message.to)
    }
}
