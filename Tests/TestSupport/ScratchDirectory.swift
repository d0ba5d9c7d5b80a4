import Foundation

/// A directory of its own for one test, removed with the value and all that is in it.
package final class ScratchDirectory: Sendable {
    /// The system gave no directory; its error number.
    package struct Failure: Error { package let code: Int32 }

    /// The absolute path, without a slash at its end.
    package let path: String

    /// Makes it, readable by its owner alone.
    package init() throws {
        var template = Array("/tmp/geoservice-test-XXXXXX".utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) } != nil
        }
        guard isMade else { throw Failure(code: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
