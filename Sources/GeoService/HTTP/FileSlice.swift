import Glibc

/// A part of an opened file, as the body of an answer: the system sends it without our reading it.
package final class FileSlice: Sendable {
    private let descriptor: Int32
    /// Where it begins in the file.
    package let start: UInt64
    /// Its length, in bytes.
    package let count: UInt64

    /// Takes over an opened file, which is closed with the last use.
    ///
    /// - Precondition: The part lies in the file, which nobody shortens any more.
    package init(owning descriptor: Int32, start: UInt64, count: UInt64) {
        self.descriptor = descriptor
        self.start = start
        self.count = count
    }

    deinit { close(descriptor) }

    /// Lends the descriptor.
    func withDescriptor<Value>(_ body: (Int32) throws -> Value) rethrows -> Value {
        try body(descriptor)
    }

    /// Another descriptor of the same file, for somebody who will close it; negative when the
    /// system has none.
    func duplicate() -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
}
