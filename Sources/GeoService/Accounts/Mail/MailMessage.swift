import GeoStore

/// A mail of plain text to one person.
struct MailMessage: Hashable, Sendable {
    /// The address, which ``MailAddress/isValid(_:)`` has judged.
    let to: String
    /// ASCII without control characters.
    let subject: String
    /// The text; lines end in a line feed.
    let text: String

    /// The message as it goes over the wire (RFC 5322), with lines that end in CR LF.
    func encoded(from sender: String, at time: Timestamp, id: String) -> [UInt8] {
        let host = sender.split(separator: "@").last ?? "localhost"
        let fields = [
            "From: <\(sender)>", "To: <\(to)>", "Subject: \(subject)",
            "Date: \(Self.date(time))", "Message-ID: <\(id)@\(host)>", "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64",
            "Auto-Submitted: auto-generated",
        ]
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: "\r\n")
        let body = Base64.encodedLines(Array(lines.utf8))
        return Array((fields.joined(separator: "\r\n") + "\r\n\r\n" + body + "\r\n").utf8)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `30 Nov 2026 21:55:07 +0000` of `2026-11-30T21:55:07.000Z`; the weekday may be left out.
    private static func date(_ time: Timestamp) -> String {
        let parts = time.description.split { "-T.".contains($0) }
        guard parts.count == 5, let month = Int(parts[1]), months.indices.contains(month - 1)
        else { return "1 Jan 1970 00:00:00 +0000" }
        return "\(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) +0000"
    }
}

/// Which addresses mail is sent to.
enum MailAddress {
    /// The longest address (RFC 5321 §4.5.3.1.3, without the brackets).
    static let greatestBytes = 254

    /// Whether an address can be written to: printable ASCII without what has a meaning in header
    /// fields or commands.
    static func isValid(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard text.utf8.count <= greatestBytes, parts.count == 2, !parts.contains("") else {
            return false
        }
        return text.utf8.allSatisfy { byte in
            (0x21...0x7e).contains(byte) && !"<>(),;:\\\"[]".utf8.contains(byte)
        }
    }
}
