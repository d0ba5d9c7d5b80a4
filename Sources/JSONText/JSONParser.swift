import CSimdjson

/// Reads JSON (RFC 8259) into ``JSONValue``s, with simdjson.
///
/// Stricter than some parsers: a byte order mark, trailing commas, comments, NaN, lone surrogates
/// and anything after the value are errors. More lenient in one place: a whole number beyond 64
/// bits becomes the nearest double instead of an error.
///
/// RFC 8259 leaves open what a name means that stands twice in one object. The last value counts,
/// as in JavaScript and thus in parse-server, unless the caller has it refused, as I-JSON (RFC
/// 7493) would: that is for bodies that a person writes, where it is a mistake.
///
/// A parser keeps its buffers for the next text, so a loop over many small texts should keep one.
/// It belongs to one thread at a time; ``parse(_:maxBytes:maxDepth:)`` needs no parser.
@safe package final class JSONParser {
    /// How deep arrays and objects may nest when the caller does not say.
    package static let defaultMaxDepth = 128
    /// The deepest limit a caller may set: a bound on the stack, since values are walked by
    /// recursion (also when they are freed).
    package static let greatestMaxDepth = 512
    /// How long a text may be when the caller does not say: 20 MiB.
    package static let defaultMaxBytes = 20 << 20
    /// Buffers of texts longer than this are given back after the text.
    private static let keptBytes = 1 << 20

    /// What becomes of a name that stands twice in one object.
    package enum RepeatedNames: Sendable {
        /// Its last value counts.
        case lastCounts
        /// ``JSONError/repeatedName(path:)``.
        case refused
    }

    private var handle: OpaquePointer?

    /// A parser without buffers; they come with the first text.
    package init() {}

    deinit { unsafe csimdjson_destroy(handle) }

    /// The value of one text.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8; white space round the value is allowed.
    ///   - maxBytes: The longest text that is taken.
    ///   - maxDepth: The deepest nesting that is taken, in 1...``greatestMaxDepth``.
    ///   - repeatedNames: What becomes of a name that stands twice in one object.
    /// - Throws: ``JSONError``, every case.
    /// - Complexity: O(bytes).
    package func parse(
        _ bytes: Span<UInt8>, maxBytes: Int = defaultMaxBytes, maxDepth: Int = defaultMaxDepth,
        repeatedNames: RepeatedNames = .lastCounts
    ) throws(JSONError) -> JSONValue {
        precondition((1...JSONParser.greatestMaxDepth).contains(maxDepth), "depth \(maxDepth)")
        guard bytes.count <= maxBytes else { throw .tooLarge(limitBytes: maxBytes) }
        guard bytes.count > 0 else { throw .empty }
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
            throw .byteOrderMark
        }
        defer { if bytes.count > JSONParser.keptBytes { releaseBuffers() } }
        do throws(JSONError) {
            return try parseOnce(bytes, maxDepth: maxDepth, repeatedNames)
        } catch .invalidNumber {
            // The library refuses whole numbers beyond 64 bits; as doubles they are fine.
            guard let widened = IntegerWidening.widened(bytes) else { throw .invalidNumber }
            return try parseOnce(widened.span, maxDepth: maxDepth, repeatedNames)
        }
    }

    /// The value of one text; see ``parse(_:maxBytes:maxDepth:repeatedNames:)``.
    package static func parse(
        _ bytes: [UInt8], maxBytes: Int = defaultMaxBytes, maxDepth: Int = defaultMaxDepth
    ) throws(JSONError) -> JSONValue {
        try JSONParser().parse(bytes.span, maxBytes: maxBytes, maxDepth: maxDepth)
    }

    /// The value of a text of this process's own, such as a setting or a test's input.
    package static func parse(text: String) throws(JSONError) -> JSONValue {
        try parse(Array(text.utf8))
    }

    private func parseOnce(
        _ bytes: Span<UInt8>, maxDepth: Int, _ repeatedNames: RepeatedNames
    ) throws(JSONError) -> JSONValue {
        if unsafe handle == nil { unsafe handle = csimdjson_create() }
        guard let parser = unsafe handle else { throw .outOfMemory }
        let result = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe csimdjson_parse(parser, buffer.baseAddress, buffer.count, maxDepth)
        }
        let code = unsafe Int(result.code)
        guard code == csimdjson_ok else { throw error(code, in: bytes, maxDepth: maxDepth) }
        guard let tape = unsafe result.tape, let strings = unsafe result.strings else {
            throw .outOfMemory
        }
        var walker = unsafe TapeWalker(
            tape: tape, strings: strings, maxDepth: maxDepth,
            refusesRepeats: repeatedNames == .refused)
        return try walker.root()
    }

    private func error(_ code: Int, in bytes: Span<UInt8>, maxDepth: Int) -> JSONError {
        switch code {
        case csimdjson_empty: .empty
        case csimdjson_too_deep: .tooDeep(limit: maxDepth)
        case csimdjson_bad_utf8: .invalidUTF8(offset: JSONParser.invalidUTF8Offset(in: bytes))
        case csimdjson_bad_string: .invalidString
        case csimdjson_bad_number: .invalidNumber
        case csimdjson_no_memory, csimdjson_too_large: .outOfMemory
        default: .invalidStructure
        }
    }

    /// Where the longest prefix of valid UTF-8 ends.
    private static func invalidUTF8Offset(in bytes: Span<UInt8>) -> Int {
        var decoder = UTF8()
        var input = copy(of: bytes).makeIterator()
        var place = 0
        while case .scalarValue(let scalar) = decoder.decode(&input) {
            place += UTF8.width(scalar)
        }
        return place
    }

    private static func copy(of bytes: Span<UInt8>) -> [UInt8] {
        [UInt8](capacity: bytes.count) { output in
            for index in 0..<bytes.count { output.append(bytes[index]) }
        }
    }

    private func releaseBuffers() {
        unsafe csimdjson_destroy(handle)
        unsafe handle = nil
    }
}
