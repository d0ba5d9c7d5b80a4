import CPCRE2
import Synchronization

/// A compiled `$regex`, run with PCRE2 under limits of its own.
///
/// `@unchecked Sendable`: the compiled code is never changed after its making, PCRE2 allows any
/// number of threads to match with it, and the blocks that a match writes to are lent under a lock.
@safe final class WherePattern: @unchecked Sendable {
    /// How long a pattern may be, in bytes.
    static let lengthLimit = 1_000
    /// Steps that one match may take before it is given up: below a millisecond.
    private static let matchLimit: UInt32 = 50_000
    /// How deep a match may backtrack.
    private static let depthLimit: UInt32 = 1_000
    /// Memory of one match, in KiB.
    private static let heapLimitKiB: UInt32 = 1_024
    /// How deep parentheses may nest.
    private static let nestLimit: UInt32 = 32

    /// A match went beyond its limits.
    struct TooCostly: Error {}

    /// What every text begins with in which the pattern is; nil when that is not known.
    let prefix: String?
    private let code: OpaquePointer
    private let context: OpaquePointer
    /// Blocks that no match uses at the moment.
    private let free = Mutex<[Block]>([])

    /// What one match writes to. `@unchecked Sendable`: lent to one match at a time.
    @safe private final class Block: @unchecked Sendable {
        let handle: OpaquePointer

        init?() {
            // One pair of offsets is enough: what a group matched is never asked.
            guard let handle = unsafe pcre2_match_data_create_8(1, nil) else { return nil }
            unsafe self.handle = handle
        }

        deinit { unsafe pcre2_match_data_free_8(handle) }
    }

    /// Compiles a pattern.
    ///
    /// - Parameter options: Letters of `imxs`.
    /// - Throws: ``WhereError`` `malformed`, with PCRE2's own words.
    init(_ pattern: String, options letters: String, at path: String) throws(WhereError) {
        guard pattern.utf8.count <= WherePattern.lengthLimit else {
            throw WhereError(
                .malformed, path, "must be a pattern of at most \(WherePattern.lengthLimit) bytes")
        }
        let options = try WherePattern.options(letters, at: path)
        guard let compiling = unsafe pcre2_compile_context_create_8(nil),
            let context = unsafe pcre2_match_context_create_8(nil)
        else { throw WhereError(.tooCostly, path, "found no memory") }
        defer { unsafe pcre2_compile_context_free_8(compiling) }
        unsafe pcre2_set_parens_nest_limit_8(compiling, WherePattern.nestLimit)
        unsafe pcre2_set_match_limit_8(context, WherePattern.matchLimit)
        unsafe pcre2_set_depth_limit_8(context, WherePattern.depthLimit)
        unsafe pcre2_set_heap_limit_8(context, WherePattern.heapLimitKiB)
        var fault: Int32 = 0
        var offset = 0
        var text = pattern
        let code = text.withUTF8 { bytes in
            // An empty buffer may have no address, which PCRE2 refuses.
            let start = unsafe bytes.baseAddress ?? UnsafePointer(bitPattern: 1)
            return unsafe start.flatMap { start in
                unsafe pcre2_compile_8(start, bytes.count, options, &fault, &offset, compiling)
            }
        }
        guard let code = unsafe code else {
            unsafe pcre2_match_context_free_8(context)
            throw WhereError(
                .malformed, path, "is no pattern: \(WherePattern.message(fault)) at byte \(offset)")
        }
        unsafe self.code = code
        unsafe self.context = context
        prefix = letters.contains { $0 != "s" } ? nil : WherePattern.prefix(of: pattern)
    }

    deinit {
        unsafe pcre2_match_context_free_8(context)
        unsafe pcre2_code_free_8(code)
    }

    private static func options(_ letters: String, at path: String) throws(WhereError) -> UInt32 {
        // A text is Unicode; a single byte of it (`\C`) is not to be had.
        var options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C
        for letter in letters {
            switch letter {
            case "i": options |= PCRE2_CASELESS
            case "m": options |= PCRE2_MULTILINE
            case "s": options |= PCRE2_DOTALL
            case "x": options |= PCRE2_EXTENDED
            default:
                throw WhereError(.malformed, path, "has $options other than i, m, s and x")
            }
        }
        return options
    }

    /// The text after `^` or `^\Q` up to what is no plain text. A pattern with alternatives has
    /// none.
    static func prefix(of pattern: String) -> String? {
        guard pattern.hasPrefix("^") else { return nil }
        var rest = pattern.dropFirst()
        var prefix: Substring
        if rest.hasPrefix("\\Q") {
            rest = rest.dropFirst(2)
            var end = rest.startIndex
            while end < rest.endIndex, !rest[end...].hasPrefix("\\E") {
                end = rest.index(after: end)
            }
            prefix = rest[..<end]
            rest = rest[end...].dropFirst(2)
        } else {
            prefix = rest.prefix { $0.isLetter || $0.isNumber || $0 == " " || $0 == "_" }
            rest = rest.dropFirst(prefix.count)
        }
        guard !rest.contains("|") else { return nil }
        // What follows may say that the last character need not be there.
        if let next = rest.first, !next.isLetter && !next.isNumber && next != "$" && next != "." {
            prefix = prefix.dropLast()
        }
        return prefix.isEmpty ? nil : String(prefix)
    }

    private static func message(_ code: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 160)
        let length = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe pcre2_get_error_message_8(code, buffer.baseAddress, buffer.count)
        }
        return String(decoding: bytes.prefix(Int(max(length, 0))), as: UTF8.self)
    }

    /// Whether the pattern is somewhere in a text.
    ///
    /// - Throws: ``TooCostly``.
    func matches(_ text: String) throws(TooCostly) -> Bool {
        guard let block = free.withLock({ $0.popLast() }) ?? Block() else { throw TooCostly() }
        defer { free.withLock { $0.append(block) } }
        var text = text
        let result = text.withUTF8 { bytes in
            // An empty text may have no address; texts of Swift are valid UTF-8.
            let start = unsafe bytes.baseAddress ?? UnsafePointer(bitPattern: 1)
            return unsafe pcre2_match_8(
                code, start, bytes.count, 0, PCRE2_NO_UTF_CHECK, block.handle, context)
        }
        if result >= 0 { return true }
        guard result == PCRE2_ERROR_NOMATCH else { throw TooCostly() }
        return false
    }
}
