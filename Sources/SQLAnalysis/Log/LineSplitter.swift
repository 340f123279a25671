/// Splits a stream of bytes into lines. A line may begin in one chunk and end in another.
struct LineSplitter {
    /// The maximum length of a line in bytes. Only the value lists of large fetches are longer.
    static let lengthMax = 1 << 20

    private var rest: [UInt8] = []
    private var isOverlong = false
    /// The number of lines that exceeded the maximum length and were truncated.
    private(set) var cutLineCount = 0

    /// Passes on each line that ends within the next bytes, without its line feed.
    mutating func feed(_ chunk: [UInt8], _ take: (ArraySlice<UInt8>) -> Void) {
        var start = 0
        chunk.withUnsafeBufferPointer { bytes in
            var index = 0
            while index < bytes.count {
                guard bytes[index] == 0x0A else {
                    index += 1
                    continue
                }
                if rest.isEmpty, !isOverlong, index - start <= Self.lengthMax {
                    take(chunk[start..<index])
                } else {
                    keep(chunk[start..<index])
                    end(take)
                }
                index += 1
                start = index
            }
        }
        keep(chunk[start...])
    }

    /// Passes on the last line if it does not end with a line feed.
    mutating func finish(_ take: (ArraySlice<UInt8>) -> Void) {
        if !rest.isEmpty { end(take) }
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        let room = Self.lengthMax - rest.count
        if bytes.count > room { isOverlong = true }
        rest += bytes.prefix(max(0, room))
    }

    private mutating func end(_ take: (ArraySlice<UInt8>) -> Void) {
        take(rest[...])
        if isOverlong { cutLineCount += 1 }
        isOverlong = false
        rest.removeAll(keepingCapacity: true)
    }
}
