import GeoStore

/// Who looks at the map.
struct Viewer: Sendable {
    /// Whom access lists name.
    let principals: Principals
    /// The session; nil for anonymous viewers.
    let sessionID: String?
    /// Whether a token of an address says so, with which nothing can be changed.
    let isByMapToken: Bool
    /// What he may see of the layer that the request's address names; nil where it names none.
    var sight: MapSight?

    /// Nobody in particular.
    static let anonymous = Viewer(principals: .anonymous, sessionID: nil, isByMapToken: false)

    private init(principals: Principals, sessionID: String?, isByMapToken: Bool) {
        self.principals = principals
        self.sessionID = sessionID
        self.isByMapToken = isByMapToken
    }

    /// The user of a session.
    init(_ session: Session, isByMapToken: Bool = false) {
        self.init(
            principals: session.principals, sessionID: session.id, isByMapToken: isByMapToken)
    }

    /// Whether it is nobody in particular: then answers are everybody's.
    var isAnonymous: Bool { sessionID == nil }
}

extension Response {
    /// The answer as a viewer gets it: what is one viewer's own is kept by no cache that others
    /// use.
    func seen(by viewer: Viewer) -> Response {
        if viewer.isAnonymous { return self }
        var response = self
        response.cached = nil
        if response.cacheControl?.description == "public, no-cache" {
            response.cacheControl = "private, no-cache"
        }
        let isForCodings = response.varyOn?.description == "Accept-Encoding"
        response.varyOn =
            isForCodings ? "X-Parse-Session-Token, Accept-Encoding" : "X-Parse-Session-Token"
        return response
    }
}
