import CMicroHTTPD
import Glibc
import Synchronization

/// One answer as the library holds it. Immutable once made, and shared by any number of requests:
/// the library counts its uses under a lock of its own.
@safe final class NativeResponse: @unchecked Sendable {
    private let handle: OpaquePointer

    /// Wraps bytes without copying them: the array is kept until the last use has ended.
    ///
    /// - Returns: `nil` when there is no memory.
    init?(_ bytes: [UInt8]) {
        let made: OpaquePointer?
        if bytes.isEmpty {
            unsafe made = MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        } else {
            let box = unsafe Unmanaged.passRetained(Bytes(bytes))
            unsafe made = MHD_create_response_from_buffer_with_free_callback_cls(
                bytes.count, UnsafeMutableRawPointer(mutating: box.takeUnretainedValue().start),
                { box in
                    guard let box = unsafe box else { return }
                    unsafe Unmanaged<Bytes>.fromOpaque(box).release()
                }, box.toOpaque())
            if unsafe made == nil { unsafe box.release() }
        }
        guard let made = unsafe made else { return nil }
        unsafe handle = made
    }

    /// Wraps a part of a file, which the system sends.
    ///
    /// - Returns: `nil` when there is no memory, or no descriptor.
    init?(_ slice: FileSlice) {
        let descriptor = slice.duplicate()
        guard descriptor >= 0 else { return nil }
        let made = unsafe MHD_create_response_from_fd_at_offset64(
            slice.count, descriptor, slice.start)
        guard let made = unsafe made else {
            close(descriptor)
            return nil
        }
        unsafe handle = made
    }

    /// Wraps a stream: its bytes are asked for as the client reads them.
    ///
    /// - Parameter bytes: Its length; nil when that will only be known at its end.
    init?(_ stream: StreamReading, bytes: UInt64? = nil) {
        let box = unsafe Unmanaged.passRetained(stream)
        let made = unsafe MHD_create_response_from_callback(
            bytes ?? UInt64.max, 32 << 10,
            { box, _, room, count in
                guard let box = unsafe box, let room = unsafe room else { return -2 }
                return unsafe Unmanaged<StreamReading>.fromOpaque(box)._withUnsafeGuaranteedRef {
                    unsafe $0.read(into: UnsafeMutableRawBufferPointer(start: room, count: count))
                }
            }, box.toOpaque(),
            { box in
                guard let box = unsafe box else { return }
                unsafe Unmanaged<StreamReading>.fromOpaque(box).release()
            })
        guard let made = unsafe made else {
            unsafe box.release()
            return nil
        }
        unsafe handle = made
    }

    deinit { unsafe MHD_destroy_response(handle) }

    /// Adds a field. The library refuses values with line breaks: such a field is left out.
    func add(_ name: StaticString, _ value: StaticString) {
        unsafe name.utf8Start.withMemoryRebound(to: CChar.self, capacity: 1) { name in
            unsafe value.utf8Start.withMemoryRebound(to: CChar.self, capacity: 1) { value in
                _ = unsafe MHD_add_response_header(handle, name, value)
            }
        }
    }

    /// Adds a field. The library refuses values with line breaks: such a field is left out.
    func add(_ name: StaticString, _ value: String) {
        unsafe name.utf8Start.withMemoryRebound(to: CChar.self, capacity: 1) { name in
            _ = unsafe MHD_add_response_header(handle, name, value)
        }
    }

    /// Hands the answer to a connection.
    func queue(_ status: HTTPStatus, on connection: OpaquePointer) -> MHD_Result {
        unsafe MHD_queue_response(connection, UInt32(status.code), handle)
    }

    /// Keeps an array where it lies.
    @safe private final class Bytes {
        let bytes: [UInt8]
        /// The array's storage: contiguous, and in its place as long as the array is neither
        /// changed nor freed, which this object rules out.
        let start: UnsafePointer<UInt8>?

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            unsafe start = bytes.withUnsafeBufferPointer { $0.baseAddress }
        }
    }
}

/// The wrapped forms of one answer, each made once.
final class NativeSlots: Sendable {
    private struct Slots {
        var identity: NativeResponse?
        var gzip: NativeResponse?
    }

    private let slots = Mutex(Slots())

    /// The form for a coding. Two threads that come first may both make it; one is kept.
    func get(_ coding: ContentCoding, make: () -> NativeResponse?) -> NativeResponse? {
        let known = slots.withLock { coding == .gzip ? $0.gzip : $0.identity }
        if let known { return known }
        guard let made = make() else { return nil }
        return slots.withLock { slots in
            if coding == .gzip {
                if let known = slots.gzip { return known }
                slots.gzip = made
            } else {
                if let known = slots.identity { return known }
                slots.identity = made
            }
            return made
        }
    }
}
