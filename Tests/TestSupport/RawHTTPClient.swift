import Glibc

/// A client that sends exactly the bytes it is told to, over a plain socket.
///
/// Every wait ends after five seconds with ``Failure/timeout``: a server that hangs fails the test.
package final class RawHTTPClient {
    /// Why no answer could be read.
    package enum Failure: Error, Equatable {
        case cannotConnect(Int32)
        case timeout
        case reset
        /// The server closed before the answer was complete.
        case closed
        case malformed
    }

    /// One answer.
    package struct Answer {
        /// The status code.
        package var status = 0
        /// The fields in order; names in lower case.
        package var fields: [(name: String, value: String)] = []
        /// The body, with chunks joined.
        package var body: [UInt8] = []

        /// The first value of a field; the name in lower case.
        package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

        /// The body as text.
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// Connects to 127.0.0.1, or to ::1.
    package init(port: UInt16, isIPv6: Bool = false, receiveBufferBytes: Int32? = nil) throws {
        descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var wait = timeval(tv_sec: 5, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &wait, size)
        if var bytes = receiveBufferBytes {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, 4)
        }
        let code: Int32
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            code = unsafe withUnsafePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            code = unsafe withUnsafePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        // Not closed here: the object is whole, so its end closes it.
        guard code == 0 else { throw Failure.cannotConnect(errno) }
    }

    deinit { close(descriptor) }

    /// Sends text as it is. Gives how many bytes went out before the server closed, if it did.
    @discardableResult
    package func send(_ text: String) -> Int { send(Array(text.utf8)) }

    /// Sends bytes as they are.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { all in
                unsafe Glibc.send(
                    descriptor, all.baseAddress?.advanced(by: sent), all.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    /// Ends the sending direction.
    package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Sends a request without a body, with the fields that HTTP/1.1 needs.
    package func get(_ target: String, _ fields: String..., method: String = "GET") {
        let more = fields.map { $0 + "\r\n" }.joined()
        send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(more)\r\n")
    }

    /// Reads one whole answer; those after it stay for the next call. Interim answers (1xx) are
    /// answers of their own.
    package func answer(toHEAD isHEAD: Bool = false) throws(Failure) -> Answer {
        var answer = Answer()
        let head = try line()
        let parts = head.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0] == "HTTP/1.1", let status = Int(parts[1]) else {
            throw .malformed
        }
        answer.status = status
        while true {
            let field = try line()
            if field.isEmpty { break }
            guard let colon = field.firstIndex(of: ":") else { throw .malformed }
            answer.fields.append(
                (
                    field[..<colon].lowercased(),
                    String(field[field.index(after: colon)...].drop { $0 == " " })
                ))
        }
        if isHEAD || status < 200 || status == 204 || status == 304 { return answer }
        if answer["transfer-encoding"] == "chunked" {
            while true {
                guard let size = Int(try line(), radix: 16) else { throw .malformed }
                answer.body += try bytes(size)
                guard try line().isEmpty else { throw .malformed }
                if size == 0 { break }
            }
        } else if let length = answer["content-length"].flatMap({ Int($0) }) {
            answer.body = try bytes(length)
        } else {
            answer.body = try rest()
        }
        return answer
    }

    /// Everything until the server closes.
    package func rest() throws(Failure) -> [UInt8] {
        while try fill() {}
        defer { buffer = [] }
        return buffer
    }

    /// Whether the server has closed, after all it sent was read.
    package func isClosed() throws(Failure) -> Bool { try rest().isEmpty }

    /// Whether anything arrives within the time.
    package func hasAnswer(within milliseconds: Int32) -> Bool {
        if !buffer.isEmpty { return true }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) > 0
    }

    private func line() throws(Failure) -> String {
        while true {
            if let end = buffer.firstIndex(of: 0x0a) {
                guard end > 0, buffer[end - 1] == 0x0d else { throw .malformed }
                let line = String(decoding: buffer[..<(end - 1)], as: UTF8.self)
                buffer.removeFirst(end + 1)
                return line
            }
            guard try fill() else { throw .closed }
        }
    }

    private func bytes(_ count: Int) throws(Failure) -> [UInt8] {
        while buffer.count < count {
            guard try fill() else { throw .closed }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    private func fill() throws(Failure) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
        guard count >= 0 else { throw errno == EAGAIN ? .timeout : .reset }
        buffer += chunk[..<count]
        return count > 0
    }
}
