extension AccountSettings {
    /// Takes one setting about mail; false when it is none of these.
    ///
    /// - Throws: ``SettingError`` when it does not parse.
    mutating func setMail(_ name: String, _ value: String) throws(SettingError) -> Bool {
        switch name {
        case "GEOSERVICE_MAIL":
            switch value {
            case "none": mail = .none
            case "file": mail = .file
            default:
                guard MailServer.isValid(value) else {
                    throw SettingError(
                        name, "must be none, file, or a server such as smtp://mail.example.org:587")
                }
                mail = .server(url: value)
            }
        case "GEOSERVICE_MAIL_FROM":
            guard MailAddress.isValid(value) else {
                throw SettingError(name, "must be an address such as maps@example.org")
            }
            mailSender = value
        case "GEOSERVICE_MAIL_USER": mailUser = try SettingValue.text(name, value)
        case "GEOSERVICE_MAIL_PASSWORD": mailPassword = try SettingValue.text(name, value)
        case "GEOSERVICE_VERIFY_EMAILS": verifiesEmails = try SettingValue.flag(name, value)
        default: return false
        }
        return true
    }

    /// Where mail goes; nil is nowhere.
    ///
    /// - Throws: ``SettingError`` when the sender is missing.
    func outbox(directory: String) throws(SettingError) -> (any Outbox)? {
        switch mail {
        case .none:
            guard !verifiesEmails else {
                throw SettingError("GEOSERVICE_VERIFY_EMAILS", "needs GEOSERVICE_MAIL")
            }
            return nil
        case .file:
            return FileOutbox(
                folder: directory + "/outbox", sender: mailSender ?? "geoservice@localhost")
        case .server(let url):
            guard let mailSender else {
                throw SettingError("GEOSERVICE_MAIL_FROM", "must be set to send mail")
            }
            return SMTPOutbox(
                server: MailServer(url: url, user: mailUser, password: mailPassword),
                sender: mailSender)
        }
    }
}
