/// What the first reading of a table has found out, for the second.
package struct CSVPlan: Sendable {
    let header: CSVHeader
    /// One type for each column.
    let types: [ColumnType]
    let encoding: TextEncoding
    /// Whether the encoding was guessed from the bytes.
    let hasGuessedEncoding: Bool

    /// What was read differently from how it is written, one sentence each.
    var notes: [String] {
        var guesses = header.guesses
        if hasGuessedEncoding && encoding != .utf8 {
            guesses.insert("the encoding \(encoding.name)", at: 0)
        }
        let guessed = guesses.isEmpty ? [] : ["guessed: " + guesses.joined(separator: "; ")]
        return guessed + header.notes
    }
}
