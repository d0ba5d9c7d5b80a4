import JSONText

/// `GET /serverInfo`: what the service can, for dashboards.
enum ServerInfo {
    /// The version of Parse's server whose surface this is.
    static let surfaceVersion = "7.4.0"

    static let answer = ParseAnswer([
        "features": [
            "globalConfig": all(["create", "read", "update", "delete"], true),
            "hooks": all(["create", "read", "update", "delete"], false),
            "cloudCode": all(["jobs"], false),
            "logs": all(["level", "size", "order", "until", "from"], false),
            "push": all(
                ["immediateSend", "scheduledPush", "storedPushData", "pushAudiences"], false),
            "schemas": [
                "addField": true, "removeField": true, "addClass": true, "removeClass": true,
                "clearAllDataFromClass": true, "exportClass": false,
                "editClassLevelPermissions": true, "editPointerPermissions": true,
            ],
            "settings": all(["securityCheck"], false),
        ],
        "parseServerVersion": .string(surfaceVersion),
    ])

    private static func all(_ names: [String], _ value: Bool) -> JSONValue {
        .object(JSONObject(names.map { ($0, .bool(value)) }))
    }
}
