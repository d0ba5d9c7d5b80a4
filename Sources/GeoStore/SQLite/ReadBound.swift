/// How much one read may do that is to take less than a millisecond: counted, so that a busy
/// machine changes nothing.
struct ReadAllowance {
    /// How many rows may yet be judged.
    var rows = 256
    /// How many bytes of objects may yet be read. No value may be longer.
    var bytes = 128 << 10
    /// How many turns of ``ReadBound/turnSteps`` steps all statements together may yet take.
    var turns = 50
}

/// When a connection's statements are to end. Used by the thread that has the connection.
final class ReadBound {
    /// After so many steps of SQLite's machine it is asked: some 5 µs, against which a clock costs
    /// little.
    static let turnSteps: Int32 = 200

    var moment: ContinuousClock.Instant?
    var allowance: ReadAllowance?

    /// Whether the moment has passed.
    var hasPassed: Bool {
        guard let moment else { return false }
        return ContinuousClock.now >= moment
    }

    /// Whether as much may be read; takes it when so.
    func take(rows: Int, bytes: Int) -> Bool {
        guard let rest = allowance else { return true }
        guard rows <= rest.rows, bytes <= rest.bytes else { return false }
        allowance?.rows = rest.rows - rows
        allowance?.bytes = rest.bytes - bytes
        return true
    }

    /// Whether a statement may take another turn.
    func mayTurn() -> Bool {
        guard let turns = allowance?.turns else { return !hasPassed }
        guard turns > 0 else { return false }
        allowance?.turns = turns - 1
        return !hasPassed
    }
}
