/// A result was wrong: its time counts for nothing, and the run ends.
struct CheckFailure: Error, CustomStringConvertible {
    let description: String
}

/// Ends the run unless `condition` holds.
///
/// - Throws: ``CheckFailure``.
func check(_ condition: Bool, _ what: @autoclosure () -> String) throws(CheckFailure) {
    guard condition else { throw CheckFailure(description: "wrong result: \(what())") }
}
