import GeoStore
import JSONText

/// `POST /installations` and `PUT /installations/id`: a device on which an app is installed.
///
/// A device is known by its `installationId`, which the app makes, and by its `deviceToken`, by
/// which it gets messages. Each is of one installation only, so a device that is made again is
/// changed instead, and a token that moves to another device is taken from the former one.
struct SaveInstallation: WriteOperation {
    private let objectId: String?
    private let body: JSONObject
    private let caller: ParseCaller
    /// The device of the body.
    private let device: String?
    private let token: String?

    private static let className = AccountNames.installation

    /// - Parameter objectId: The installation that is changed; nil of one that is new or known.
    /// - Throws: ``ParseError``: 135 without anything by which the device is known; as
    ///   ``ClassAccess``.
    init(_ objectId: String?, _ body: JSONObject, _ caller: ParseCaller) throws(ParseError) {
        try ClassAccess.check(
            Self.className, for: objectId == nil ? .create : .update, caller)
        self.objectId = objectId
        self.caller = caller
        var body = body
        device = body["installationId"]?.stringValue?.lowercased()
        if let device { body["installationId"] = .string(device) }
        var token = body["deviceToken"]?.stringValue
        // Apple's tokens are hexadecimal digits, which may come in either case.
        if let text = token, text.utf8.count == 64 { token = text.lowercased() }
        if let token { body["deviceToken"] = .string(token) }
        self.token = token
        self.body = body
        guard
            objectId != nil || token != nil || device != nil
                || caller.identity.installationID != nil
        else {
            throw ParseError(
                .missingRequiredField,
                "at least one ID field (deviceToken, installationId) must be specified in this "
                    + "operation")
        }
    }

    func run(in transaction: inout WriteTransaction) throws -> ParseAnswer {
        if let objectId {
            try check(objectId, in: transaction)
            return try update(objectId, in: &transaction)
        }
        guard let known = try known(in: &transaction) else {
            return try CreateObject(
                Self.className, body, caller, rules: InstallationRules()
            ).run(in: &transaction)
        }
        var answer = try update(known.objectId, in: &transaction)
        // Who made it does not know which one it became.
        answer.add([
            "objectId": .string(known.objectId),
            "createdAt": .string(known.createdAt.description),
        ])
        return answer
    }

    private func update(
        _ objectId: String, in transaction: inout WriteTransaction
    ) throws -> ParseAnswer {
        if let token, let other = try holder(InstallationRules.tokenKey(token), in: transaction),
            other.objectId != objectId
        {
            try transaction.delete(Self.className, other.objectId)
        }
        return try UpdateObject(
            Self.className, objectId, body, caller, rules: InstallationRules()
        ).run(in: &transaction)
    }

    /// Refuses to make one device of another.
    private func check(_ objectId: String, in transaction: borrowing WriteTransaction) throws {
        guard
            let former = try transaction.object(Self.className, objectId).flatMap({
                caller.view.writable($0, for: .update)
            })
        else { throw ParseError(.objectNotFound, "Object not found for update.") }
        func text(_ name: String) -> String? { former.fields[name]?.stringValue }
        func refusal(_ name: String) -> ParseError {
            ParseError(.unchangeable, "\(name) may not be changed in this operation")
        }
        if let device {
            if let formerDevice = text("installationId"), formerDevice != device {
                throw refusal("installationId")
            }
            let other = try holder(InstallationRules.deviceKey(device), in: transaction)
            if let other, other.objectId != objectId { throw refusal("installationId") }
        }
        if let token, let formerToken = text("deviceToken"), formerToken != token, device == nil,
            text("installationId") == nil
        {
            throw refusal("deviceToken")
        }
        if let type = body["deviceType"], let formerType = former.fields["deviceType"],
            type != formerType
        {
            throw refusal("deviceType")
        }
    }

    /// The installation of the same device; what is superfluous is deleted.
    private func known(in transaction: inout WriteTransaction) throws -> Document? {
        let named = device ?? (caller.identity.isMaster ? nil : caller.identity.installationID)
        let byDevice = try named.flatMap {
            try holder(InstallationRules.deviceKey($0.lowercased()), in: transaction)
        }
        let byToken = try token.flatMap {
            try holder(InstallationRules.tokenKey($0), in: transaction)
        }
        guard byDevice != nil || body["deviceType"]?.stringValue != nil else {
            throw ParseError(
                .missingRequiredField, "deviceType must be specified in this operation")
        }
        guard let byToken else { return byDevice }
        let hasDevice = byToken.fields["installationId"]?.stringValue != nil
        if let byDevice {
            guard !hasDevice, byToken.objectId != byDevice.objectId else { return byDevice }
            // The token came first, then the device: they are one.
            try transaction.delete(Self.className, byDevice.objectId)
            return byToken
        }
        if !hasDevice || named == nil { return byToken }
        guard device != nil else {
            throw ParseError(
                .ambiguousDevice,
                "Must specify installationId when deviceToken matches another device")
        }
        try transaction.delete(Self.className, byToken.objectId)
        return nil
    }

    private func holder(
        _ key: UniqueKey, in transaction: borrowing WriteTransaction
    ) throws -> Document? {
        try transaction.holder(of: key).flatMap {
            try transaction.object(Self.className, $0.objectId)
        }
    }
}

/// What makes an installation of an object: an id of the device and a token that no other has.
struct InstallationRules: WriteRules {
    /// The longest id and token, in bytes.
    private static let greatestBytes = UniqueKey.maximumBytes

    static func deviceKey(_ device: String) -> UniqueKey {
        UniqueKey(scope: "_Installation.installationId", device)
    }

    static func tokenKey(_ token: String) -> UniqueKey {
        UniqueKey(scope: "_Installation.deviceToken", token)
    }

    func complete(
        _ document: inout Document, replacing former: Document?,
        in transaction: borrowing WriteTransaction
    ) throws {
        for name in ["installationId", "deviceToken"] {
            let text = document.fields[name]?.stringValue ?? ""
            guard text.utf8.count <= Self.greatestBytes else {
                throw ParseError(
                    .incorrectType, "\(name) must have at most \(Self.greatestBytes) bytes")
            }
        }
    }

    func stored(
        _ document: Document, replacing former: Document?,
        in transaction: inout WriteTransaction
    ) throws -> JSONObject {
        for (name, key) in [
            ("installationId", Self.deviceKey), ("deviceToken", Self.tokenKey),
        ] {
            let text = document.fields[name]?.stringValue
            let formerText = former?.fields[name]?.stringValue
            guard text != formerText else { continue }
            if let formerText {
                try transaction.release(
                    key(formerText), of: document.className, objectId: document.objectId)
            }
            if let text {
                try transaction.claim(
                    key(text), for: document.objectId, of: document.className)
            }
        }
        return [:]
    }
}
