import GeoStore
import JSONText

/// The small pages that links in mails lead to: `/apps/<appId>/verify_email` and
/// `/apps/<appId>/request_password_reset`. They need no keys: the token in the link is one.
///
/// A `GET` shows a form and changes nothing, since programs that read mail open links, too; what
/// the form sends does.
struct AccountPages: Sendable {
    let accounts: Accounts
    let appID: String
    let now: @Sendable () -> Timestamp

    /// The longest form.
    private static let greatestBodyBytes = 16 << 10

    /// A page.
    private enum Page: String {
        case verifyEmail = "verify_email"
        case passwordReset = "request_password_reset"

        var kind: SecretToken.Kind {
            self == .verifyEmail ? .emailVerification : .passwordReset
        }
    }

    /// Answers a request of a page; nil when it is about something else.
    func action(for request: Request) -> Action? {
        let parts = request.pathText.dropFirst(ParsePath.mount.count)
            .split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[1] == "apps", parts[2] == appID,
            let page = Page(rawValue: String(parts[3]))
        else { return nil }
        switch request.method {
        case .get, .head:
            let shown = (try? request.query("token")) ?? ""
            return .reply(form(page, SecretToken(shown: shown, page.kind)))
        case .post:
            return .collect(limitBytes: Self.greatestBodyBytes) { request, body in
                submit(page, String(decoding: body, as: UTF8.self), request)
            }
        default: return nil
        }
    }

    private func form(_ page: Page, _ token: SecretToken?, note: String = "") -> Response {
        guard let token, Self.isPlain(token.text) else { return Self.noGood }
        let field = "<input type=\"hidden\" name=\"token\" value=\"\(token.text)\">"
        switch page {
        case .verifyEmail:
            return HTMLPage(
                "Confirm your address", "\(field)<button>Confirm</button>", isForm: true
            )
            .response(.ok)
        case .passwordReset:
            let password =
                "<label>New password <input type=\"password\" name=\"password\" "
                + "autocomplete=\"new-password\" required></label>"
            return HTMLPage(
                "Choose a new password", "\(note)\(field)\(password)<button>Save</button>",
                isForm: true
            ).response(.ok)
        }
    }

    private func submit(_ page: Page, _ body: String, _ request: Request) -> Action {
        guard let items = try? ParseParameters.items(query: body[...]),
            let token = items.first(where: { $0.name == "token" })
                .flatMap({ SecretToken(shown: $0.value, page.kind) })
        else { return .reply(Self.noGood) }
        let password = items.first { $0.name == "password" }?.value ?? ""
        let isPossible = (1...PasswordHasher.greatestPasswordBytes).contains(password.utf8.count)
        if page == .passwordReset, !isPossible {
            return .reply(
                form(
                    page, token,
                    note: "<p>The password must have 1 to \(PasswordHasher.greatestPasswordBytes)"
                        + " bytes.</p>"))
        }
        do {
            try accounts.limits.check(
                .passwordReset, address: request.isLoopbackMode ? nil : request.clientAddress)
        } catch {
            return .reply(
                HTMLPage("Too many requests", "<p>Please try again in a minute.</p>")
                    .response(.tooManyRequests))
        }
        return .later { responder in
            let isTaken = accounts.passwords.submit {
                responder.respond { try settle(page, token, password) }
            }
            if !isTaken { responder.fail(Problem.overloaded) }
        }
    }

    /// On a thread that may wait.
    private func settle(
        _ page: Page, _ token: SecretToken, _ password: String
    ) throws -> Response {
        let now = now()
        let hash =
            page == .passwordReset ? try accounts.passwords.hasher.hash(password) : nil
        let isDone = try accounts.store.write { transaction in
            guard
                let user = try MailTokens.redeem(token, page.kind, at: now, in: &transaction)
            else { return false }
            if let hash {
                try transaction.setSecret(
                    AccountNames.password, of: AccountNames.user, user.objectId,
                    to: Array(hash.text.utf8))
                try SessionWriter.endAll(of: user.objectId, in: &transaction)
            } else {
                var verified = user
                verified.fields["emailVerified"] = true
                verified.updatedAt = max(now, user.updatedAt)
                try transaction.replace(user, with: verified)
            }
            return true
        }
        guard isDone else { return Self.noGood }
        return HTMLPage(
            page == .passwordReset ? "The password is changed" : "The address is confirmed",
            "<p>You may close this page.</p>"
        ).response(.ok)
    }

    /// Whether a token has its digits alone, so that it may stand in a page as it is.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static let noGood = HTMLPage(
        "This link is no longer good", "<p>Ask for another one in the app.</p>"
    ).response(.badRequest)
}

/// A page of plain HTML, without scripts and anything from elsewhere.
private struct HTMLPage {
    let title: String
    let content: String
    let isForm: Bool

    init(_ title: String, _ content: String, isForm: Bool = false) {
        self.title = title
        self.content = content
        self.isForm = isForm
    }

    func response(_ status: HTTPStatus) -> Response {
        let inner = isForm ? "<form method=\"post\">\(content)</form>" : content
        let text = """
            <!doctype html><html lang="en"><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width">\
            <title>\(title)</title><h1>\(title)</h1>\(inner)</html>

            """
        var response = Response(status, .html, Array(text.utf8))
        response.cacheControl = "no-store"
        response.headers = [
            HeaderField(
                "Content-Security-Policy",
                "default-src 'none'; form-action 'self'; frame-ancestors 'none'")
        ]
        return response
    }
}
