/// The answer to browsers that ask before they send: the same for all paths, without any key.
enum ParsePreflight {
    /// Header fields that clients send.
    private static let fields = [
        "X-Parse-Master-Key", "X-Parse-REST-API-Key", "X-Parse-Javascript-Key",
        "X-Parse-Client-Key", "X-Parse-Windows-Key", "X-Parse-Application-Id",
        "X-Parse-Client-Version", "X-Parse-Session-Token", "X-Parse-Installation-Id",
        "X-Parse-Request-Id", "X-Parse-Revocable-Session", "X-Parse-Cloud-Context",
        "X-Parse-OS-Version", "X-Parse-App-Build-Version", "X-Parse-App-Display-Version",
        "X-Requested-With", "Content-Type", "Authorization", "Pragma", "Cache-Control",
    ]

    static let response: Response = {
        var response = Response(.ok)
        response.headers = [
            HeaderField("Access-Control-Allow-Methods", "GET,PUT,POST,DELETE,OPTIONS"),
            HeaderField("Access-Control-Allow-Headers", fields.joined(separator: ", ")),
            HeaderField(
                "Access-Control-Expose-Headers", "X-Parse-Job-Status-Id, X-Parse-Push-Status-Id"),
            HeaderField("Access-Control-Max-Age", "86400"),
        ]
        return response
    }()
}
