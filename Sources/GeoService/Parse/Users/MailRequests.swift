import GeoStore
import JSONText

/// `POST /requestPasswordReset`: a mail to the address, when a user has it. The answer does not
/// tell, and neither does its time: the mail is written afterwards.
enum RequestPasswordReset {
    /// - Throws: ``ParseError``: 204 without an address, 125 for what is none, 1 where no mail is
    ///   sent; ``RateLimitError``.
    static func operation(
        _ parameters: JSONObject, _ caller: ParseCaller
    ) throws -> ParseOperation {
        let email = try MailRequest.email(in: parameters)
        let mail = try MailRequest.mail(of: caller)
        try MailRequest.count(email, caller)
        let accounts = caller.accounts
        let isTaken = mail.pool.submit {
            do {
                let user = try accounts.store.read {
                    try $0.holder(of: AccountNames.emailKey(email))?.objectId
                }
                if let user { _ = mail.send(.passwordReset, toUser: user) }
            } catch {
                Log.warning("a password reset was not begun: \(error)")
            }
        }
        guard isTaken else { throw ParseError.tooManyLogins }
        return .read(KnownAnswer(answer: ParseAnswer([:])))
    }
}

/// `POST /verificationEmailRequest`: the mail that asks to confirm an address, again.
struct RequestVerification: ReadOperation {
    private let email: String
    private let mail: MailRoom

    let isQuick = false

    /// - Throws: ``ParseError``: 204 without an address, 125 for what is none, 1 where no mail is
    ///   sent; ``RateLimitError``.
    init(_ parameters: JSONObject, _ caller: ParseCaller) throws {
        email = try MailRequest.email(in: parameters)
        mail = try MailRequest.mail(of: caller)
        try MailRequest.count(email, caller)
    }

    func isQuick(in reader: borrowing Reader) -> Bool { false }

    func run(in reader: borrowing Reader, _ budget: inout AnswerBudget) throws -> ParseAnswer {
        guard let holder = try reader.holder(of: AccountNames.emailKey(email)),
            let user = try reader.object(AccountNames.user, holder.objectId)
        else { throw ParseError(.emailNotFound, "No user found with email \(email)") }
        guard user.fields["emailVerified"] != true else {
            throw ParseError(.otherCause, "Email \(email) is already verified.")
        }
        guard mail.send(.emailVerification, toUser: user.objectId) else {
            throw ParseError.tooManyLogins
        }
        return ParseAnswer([:])
    }
}

/// What both have in common.
private enum MailRequest {
    static func email(in parameters: JSONObject) throws(ParseError) -> String {
        guard let value = parameters["email"], !value.isNull, value != "" else {
            throw ParseError(.emailMissing, "you must provide an email")
        }
        guard let email = value.stringValue, UserFields.isEmail(email) else {
            throw ParseError(.invalidEmailAddress, "you must provide a valid email string")
        }
        return email
    }

    static func mail(of caller: ParseCaller) throws(ParseError) -> MailRoom {
        guard let mail = caller.accounts.mail else {
            throw ParseError(
                .internalError,
                "mail is not set up: the operator must set GEOSERVICE_MAIL to send any")
        }
        return mail
    }

    static func count(_ email: String, _ caller: ParseCaller) throws(RateLimitError) {
        guard !caller.identity.isMaster else { return }
        try caller.accounts.limits.check(.passwordReset, address: caller.limitedAddress)
        try caller.accounts.limits.check(.passwordReset, account: FoldedText.of(email))
    }
}
