import Glibc

/// The process's resident memory, as the kernel counts it: in pages.
enum ResidentMemory {
    /// Bytes now, after what was freed has gone back to the system.
    static var bytes: Int {
        trim()
        guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard unsafe fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let fields = line.map { UInt8(bitPattern: $0) }.split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) else {
            return 0
        }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Gives freed memory back to the system: `malloc_trim(0)`, which the C library's module for
    /// Swift leaves out.
    private static func trim() {
        guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
        typealias Trim = @convention(c) (Int) -> Int32
        _ = unsafe unsafeBitCast(symbol, to: Trim.self)(0)
    }
}
