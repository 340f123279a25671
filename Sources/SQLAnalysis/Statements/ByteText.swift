/// Functions on text as bytes. They are fast enough for logs of hundreds of megabytes.
enum ByteText {
    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    static func isHex(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Whether the byte is a letter, a digit or an underscore.
    static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "_")
    }

    static func digit(_ byte: UInt8) -> UInt64 {
        isDigit(byte) ? UInt64(byte - UInt8(ascii: "0")) : UInt64((byte | 0x20) - 0x57)
    }

    static func find(_ needle: [UInt8], in bytes: [UInt8], from start: Int = 0) -> Int? {
        guard let first = needle.first, bytes.count >= needle.count else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            needle.withUnsafeBufferPointer { needle in
                var index = start
                let last = bytes.count - needle.count
                while index <= last {
                    if bytes[index] == first {
                        var offset = 1
                        while offset < needle.count, bytes[index + offset] == needle[offset] {
                            offset += 1
                        }
                        if offset == needle.count { return index }
                    }
                    index += 1
                }
                return nil
            }
        }
    }

    static func find(_ needle: StaticString, in bytes: [UInt8], from start: Int = 0) -> Int? {
        find(needle.withUTF8Buffer { Array($0) }, in: bytes, from: start)
    }

    static func starts(_ bytes: [UInt8], at start: Int = 0, with prefix: StaticString) -> Bool {
        let count = prefix.utf8CodeUnitCount
        guard start >= 0, start + count <= bytes.count else { return false }
        return prefix.withUTF8Buffer { prefix in
            for index in 0..<count where bytes[start + index] != prefix[index] { return false }
            return true
        }
    }

    static func string(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: Array(bytes), as: UTF8.self)
    }

    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var slice = bytes
        while let first = slice.first, isSpace(first) { slice.removeFirst() }
        while let last = slice.last, isSpace(last) { slice.removeLast() }
        return slice
    }

    /// A hash of the bytes, which is the same in every run of the program.
    static func hash(_ bytes: some Sequence<UInt8>, _ seed: UInt64 = 0xCBF2_9CE4_8422_2325)
        -> UInt64
    {
        bytes.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
