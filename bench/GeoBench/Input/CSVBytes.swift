import GeoIndex
import Glibc

/// Why a file of questions cannot be used.
struct FileFailure: Error, CustomStringConvertible {
    let description: String
}

/// A plain CSV file without quotes, as programs write them for each other.
struct CSVBytes {
    private let path: String
    private let bytes: [UInt8]

    /// Reads the whole file.
    ///
    /// - Throws: ``FileFailure``.
    init(path: String) throws(FileFailure) {
        self.path = path
        guard let file = unsafe fopen(path, "rb") else {
            throw FileFailure(description: "there is no \(path)")
        }
        defer { unsafe fclose(file) }
        unsafe fseek(file, 0, SEEK_END)
        let size = unsafe ftell(file)
        unsafe rewind(file)
        bytes = unsafe [UInt8](unsafeUninitializedCapacity: max(0, size)) { room, count in
            count = unsafe fread(room.baseAddress, 1, room.count, file)
        }
    }

    /// One row: its cells by number.
    struct Row {
        fileprivate let bytes: ArraySlice<UInt8>
        fileprivate let commas: [Int]

        func text(_ cell: Int) -> String { String(decoding: slice(cell), as: UTF8.self) }

        func number(_ cell: Int) throws(FileFailure) -> Double {
            guard let number = Double(text(cell)) else {
                throw FileFailure(description: "\(text(cell)) is no number")
            }
            return number
        }

        func position(_ lon: Int, _ lat: Int) throws -> RoundedPosition {
            RoundedPosition(try LonLat(lon: try number(lon), lat: try number(lat)))
        }

        private func slice(_ cell: Int) -> ArraySlice<UInt8> {
            guard cell <= commas.count else { return [] }
            let start = cell == 0 ? bytes.startIndex : commas[cell - 1] + 1
            return bytes[start..<(cell == commas.count ? bytes.endIndex : commas[cell])]
        }
    }

    /// Calls `body` with each row after the header.
    ///
    /// - Throws: ``FileFailure`` when the header is another one, and what `body` throws.
    func forEachRow(header: String, _ body: (Row) throws -> Void) throws {
        var start = 0
        var isHeader = true
        while start < bytes.count {
            var end = start
            var commas: [Int] = []
            while end < bytes.count && bytes[end] != UInt8(ascii: "\n") {
                if bytes[end] == UInt8(ascii: ",") { commas.append(end) }
                end += 1
            }
            if isHeader {
                guard Array(bytes[start..<end]) == Array(header.utf8) else {
                    throw FileFailure(description: "\(path) does not begin with \(header)")
                }
                isHeader = false
            } else {
                try body(Row(bytes: bytes[start..<end], commas: commas))
            }
            start = end + 1
        }
    }
}
