import GeoStore
import JSONText

/// A user as he himself sees it, without looking at rights: `/users/me`, and what a right password
/// shows.
struct FetchOwnUser: ReadOperation {
    let userId: String
    /// The token that the answer carries; nil leaves it out.
    let token: String?
    let caller: ParseCaller

    let isQuick = true

    func isQuick(in reader: borrowing Reader) throws -> Bool {
        try reader.byteCount(AccountNames.user, userId) ?? 0 <= FetchObject.quickBytes
    }

    func run(in reader: borrowing Reader, _ budget: inout AnswerBudget) throws -> ParseAnswer {
        try budget.check()
        guard let user = try reader.object(AccountNames.user, userId) else {
            throw ParseError.invalidSession
        }
        let linked = try LinkedProviders(of: userId, in: reader)
        let answer = OwnUser(user: user, linked: linked, token: token).answer(caller)
        try budget.take(answer.json.count)
        return answer
    }
}

/// `GET /users/id`: like any object; one's own carries the token that was shown and the providers.
struct FetchUser: ReadOperation {
    private let fetch: FetchObject
    private let userId: String
    private let caller: ParseCaller

    var isQuick: Bool { fetch.isQuick }

    /// - Throws: As ``FetchObject``.
    init(_ userId: String, _ parameters: JSONObject, _ caller: ParseCaller) throws {
        fetch = try FetchObject(AccountNames.user, userId, parameters, caller)
        self.userId = userId
        self.caller = caller
    }

    func isQuick(in reader: borrowing Reader) throws -> Bool { try fetch.isQuick(in: reader) }

    func run(in reader: borrowing Reader, _ budget: inout AnswerBudget) throws -> ParseAnswer {
        var answer = try fetch.run(in: reader, &budget)
        let isOwn = caller.identity.principals.userId == userId
        guard isOwn || caller.identity.isMaster else { return answer }
        var more = JSONObject()
        if isOwn, let token = caller.identity.sessionToken {
            more["sessionToken"] = .string(token)
        }
        more["authData"] = try LinkedProviders(of: userId, in: reader).json
        answer.add(more)
        return answer
    }
}

extension ParseAnswer {
    /// Adds members at the end of the object that the answer is.
    mutating func add(_ members: JSONObject) {
        guard !members.isEmpty, json.last == UInt8(ascii: "}") else { return }
        let more = JSONWriter.encode(.object(members)).dropFirst()
        let isEmpty = json.count == 2
        json.removeLast()
        json += (isEmpty ? [] : [UInt8(ascii: ",")]) + more
    }
}

extension ParseError {
    static let invalidSession = ParseError(.invalidSessionToken, "Invalid session token")
    /// The route needs a session, and there is none.
    static let sessionRequired = ParseError(.invalidSessionToken, "Session token required.")
}
