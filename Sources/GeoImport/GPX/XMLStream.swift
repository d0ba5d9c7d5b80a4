import CExpat

/// The elements and texts of an XML document, from pieces of any size, by Expat.
///
/// Nothing outside the document is read. A document type declaration, which could define entities
/// that grow without bound, is refused, and so are elements too deep and tokens too long. It
/// belongs to one thread at a time.
@safe final class XMLStream {
    /// What is told of the document, in its order.
    struct Handlers {
        /// An element begins, with its name and attributes.
        var start: (_ name: String, _ attributes: [String: String], _ line: Int) -> Void
        /// The text of the innermost element goes on.
        var text: (_ bytes: Span<UInt8>) -> Void
        /// The innermost element ends.
        var end: () -> Void
    }

    /// How deep elements may nest.
    static let maxDepth = 64
    /// The longest tag or other piece of markup.
    static let maxTokenBytes = 1 << 20

    private let parser: XML_Parser
    fileprivate let handlers: Handlers
    private var takenBytes = 0
    fileprivate var depth = 0
    /// Why reading was stopped.
    fileprivate var refusal: String?

    /// Creates a reader.
    ///
    /// - Throws: ``ImportError/xml(line:reason:)`` without memory.
    init(_ handlers: Handlers) throws(ImportError) {
        guard let parser = unsafe XML_ParserCreate(nil) else {
            throw .xml(line: 1, reason: "there is no memory for its reader")
        }
        unsafe self.parser = parser
        self.handlers = handlers
        unsafe XML_SetElementHandler(parser, XMLStream.starting, XMLStream.ending)
        unsafe XML_SetCharacterDataHandler(parser, XMLStream.reading)
        unsafe XML_SetStartDoctypeDeclHandler(parser, XMLStream.declaring)
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { unsafe XML_ParserFree(parser) }

    /// Takes the next bytes.
    ///
    /// - Throws: ``ImportError/xml(line:reason:)``.
    func push(_ bytes: Span<UInt8>) throws(ImportError) {
        // The count that Expat takes is 32 bits wide.
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 1 << 20)
            try parse(bytes.extracting(start..<end), isLast: false)
            start = end
        }
    }

    /// Takes the end of the document.
    ///
    /// - Throws: ``ImportError/xml(line:reason:)``.
    func finish() throws(ImportError) {
        let nothing: [UInt8] = []
        try parse(nothing.span, isLast: true)
    }

    private func parse(_ bytes: Span<UInt8>, isLast: Bool) throws(ImportError) {
        let status = unsafe bytes.withUnsafeBytes { buffer in
            unsafe XML_Parse(
                parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(buffer.count), isLast ? 1 : 0)
        }
        takenBytes += bytes.count
        if status == XML_STATUS_OK {
            // Expat keeps an unfinished token and reads it again with every piece.
            let index = unsafe Int(XML_GetCurrentByteIndex(parser))
            guard isLast || takenBytes - max(0, index) <= XMLStream.maxTokenBytes + bytes.count
            else {
                throw .xml(line: line, reason: "a tag is longer than a mebibyte")
            }
            return
        }
        if let refusal { throw .xml(line: line, reason: refusal) }
        let code = unsafe XML_GetErrorCode(parser)
        let reason = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) }
        throw .xml(line: line, reason: reason ?? "it is not XML")
    }

    /// The line that is read, from 1.
    fileprivate var line: Int { unsafe Int(clamping: XML_GetCurrentLineNumber(parser)) }

    fileprivate func stop(_ reason: String) {
        refusal = refusal ?? reason
        unsafe _ = XML_StopParser(parser, 0)
    }

    // MARK: - As Expat calls it

    private static func stream(_ context: UnsafeMutableRawPointer?) -> XMLStream? {
        unsafe context.map { unsafe Unmanaged<XMLStream>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let starting: XML_StartElementHandler = { context, name, attributes in
        guard let stream = unsafe stream(context), let name = unsafe name else { return }
        // Expat may call once more after it was told to stop.
        guard stream.refusal == nil else { return }
        stream.depth += 1
        guard stream.depth <= maxDepth else {
            return stream.stop("elements nest more than \(maxDepth) deep")
        }
        var members: [String: String] = [:]
        var place = 0
        while let attributes = unsafe attributes, let key = unsafe attributes[place],
            let value = unsafe attributes[place + 1]
        {
            members[unsafe String(cString: key)] = unsafe String(cString: value)
            place += 2
        }
        unsafe stream.handlers.start(String(cString: name), members, stream.line)
    }

    private static let ending: XML_EndElementHandler = { context, _ in
        guard let stream = unsafe stream(context), stream.refusal == nil else { return }
        stream.depth -= 1
        stream.handlers.end()
    }

    private static let reading: XML_CharacterDataHandler = { context, text, count in
        guard let stream = unsafe stream(context), stream.refusal == nil,
            let text = unsafe text
        else { return }
        unsafe text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) { bytes in
            unsafe stream.handlers.text(UnsafeBufferPointer(start: bytes, count: Int(count)).span)
        }
    }

    private static let declaring: XML_StartDoctypeDeclHandler = { context, _, _, _, _ in
        unsafe stream(context)?.stop("a document type declaration is not taken")
    }
}
