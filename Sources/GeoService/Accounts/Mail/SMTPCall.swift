import CCurl

/// A mail server, as the settings name it.
struct MailServer: Hashable, Sendable {
    /// `smtp://host:port`, or `smtps://host:port` for TLS from the beginning.
    let url: String
    /// The account there; nil sends without one.
    let user: String?
    let password: String?

    /// Whether a text is the address of a mail server.
    static func isValid(_ url: String) -> Bool {
        let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 && ["smtp", "smtps"].contains(parts[0])
            && Authority(parts[1]) != nil
    }

    /// Whether it is this machine's, to which the way needs no encryption.
    var isLocal: Bool {
        url.split(separator: "://").last.flatMap { Authority($0) }?.isLocal ?? false
    }
}

/// One mail to a server, by libcurl. It blocks its thread until the server has taken it.
///
/// Passwords and mails go to another machine encrypted, or not at all.
@safe struct SMTPCall: ~Copyable {
    private let handle: UnsafeMutableRawPointer

    private static let isReady = ccurl_global_init() == CURLE_OK
    private static let timeoutSeconds = 30

    /// - Throws: ``MailError``.
    init(_ server: MailServer) throws(MailError) {
        guard SMTPCall.isReady, let handle = unsafe curl_easy_init() else {
            throw MailError(description: "libcurl has no memory")
        }
        unsafe self.handle = handle
        unsafe ccurl_set_text(handle, CURLOPT_URL, server.url)
        unsafe ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        unsafe ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        unsafe ccurl_set_number(handle, CURLOPT_TIMEOUT, SMTPCall.timeoutSeconds)
        if server.isLocal {
            unsafe ccurl_set_text(handle, CURLOPT_NOPROXY, "*")
        } else {
            unsafe ccurl_set_number(handle, CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
        }
        if let user = server.user { unsafe ccurl_set_text(handle, CURLOPT_USERNAME, user) }
        if let password = server.password {
            unsafe ccurl_set_text(handle, CURLOPT_PASSWORD, password)
        }
    }

    deinit { unsafe curl_easy_cleanup(handle) }

    /// Sends a message.
    ///
    /// - Throws: ``MailError``.
    consuming func send(
        _ message: [UInt8], from sender: String, to receiver: String
    ) throws(MailError) {
        let text = Upload(message)
        let context = unsafe Unmanaged.passUnretained(text).toOpaque()
        let receivers = unsafe curl_slist_append(nil, "<\(receiver)>")
        defer { unsafe curl_slist_free_all(receivers) }
        unsafe ccurl_set_text(handle, CURLOPT_MAIL_FROM, "<\(sender)>")
        unsafe ccurl_set_list(handle, CURLOPT_MAIL_RCPT, receivers)
        unsafe ccurl_set_number(handle, CURLOPT_UPLOAD, 1)
        unsafe ccurl_set_reader(handle, Upload.reading, context)
        let code = withExtendedLifetime(text) { unsafe curl_easy_perform(handle) }
        guard code == CURLE_OK else {
            let reason = unsafe String(cString: curl_easy_strerror(code))
            throw MailError(description: "the mail server did not take a mail: \(reason)")
        }
    }
}

/// The bytes of a message, as libcurl asks for them, on the caller's own thread.
private final class Upload {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    static let reading: ccurl_transfer = { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let upload = unsafe Unmanaged<Upload>.fromOpaque(context).takeUnretainedValue()
        // Both are sizes of one buffer that exists, so the product fits.
        let room = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
        let piece = upload.rest.prefix(room.count)
        unsafe room.copyBytes(from: piece)
        upload.rest = upload.rest.dropFirst(piece.count)
        return piece.count
    }
}
