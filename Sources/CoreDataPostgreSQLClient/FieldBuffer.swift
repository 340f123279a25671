import CPostgreSQL
import Foundation

/// Memory for values in the server's binary form.
///
/// A value is a length of four bytes followed by the bytes of the value. The length of NULL is -1.
/// Parameters, elements of arrays and columns of a binary COPY share this form.
package struct FieldBuffer: ~Copyable {
    @usableFromInline var start: UnsafeMutableRawPointer
    @usableFromInline var capacity: Int
    @usableFromInline var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        start = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit { start.deallocate() }

    /// Empties the buffer, and frees its memory if it is large.
    mutating func removeAll() {
        count = 0
        guard capacity > 1 << 20 else { return }
        start.deallocate()
        capacity = 1 << 10
        start = .allocate(byteCount: capacity, alignment: 8)
    }

    /// Adds a number of bytes, and returns the address of the first one.
    @inlinable mutating func extend(by size: Int) -> UnsafeMutableRawPointer {
        if count + size > capacity { grow(to: count + size) }
        defer { count += size }
        return start + count
    }

    @usableFromInline mutating func grow(to size: Int) {
        let larger = max(size, 2 * capacity)
        let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
        new.copyMemory(from: start, byteCount: count)
        start.deallocate()
        (start, capacity) = (new, larger)
    }

    /// Writes a word at an offset.
    func setWord(_ value: UInt32, at offset: Int) {
        (start + offset).storeBytes(of: value.bigEndian, as: UInt32.self)
    }

    @inlinable mutating func appendHalf(_ value: UInt16) {
        extend(by: 2).storeBytes(of: value.bigEndian, as: UInt16.self)
    }

    @inlinable mutating func appendWord(_ value: UInt32) {
        extend(by: 4).storeBytes(of: value.bigEndian, as: UInt32.self)
    }
}

/// Values.
extension FieldBuffer {
    @inlinable mutating func appendNull() { appendWord(UInt32.max) }

    @inlinable mutating func append(bool value: Bool) {
        appendWord(1)
        extend(by: 1).storeBytes(of: value ? 1 : 0, as: UInt8.self)
    }

    @inlinable mutating func append(int2 value: Int16) {
        appendWord(2)
        appendHalf(UInt16(bitPattern: value))
    }

    @inlinable mutating func append(int4 value: Int32) {
        appendWord(4)
        appendWord(UInt32(bitPattern: value))
    }

    @inlinable mutating func append(int8 value: Int64) {
        appendWord(8)
        extend(by: 8).storeBytes(of: value.bigEndian, as: Int64.self)
    }

    @inlinable mutating func append(float8 value: Double) {
        append(int8: Int64(bitPattern: value.bitPattern))
    }

    @inlinable mutating func append(uuid value: UUID) {
        appendWord(16)
        extend(by: 16).storeBytes(of: value.uuid, as: uuid_t.self)
    }

    mutating func append(numeric value: Decimal) { Numeric.append(value, to: &self) }

    private mutating func appendLength(_ count: Int) throws(ServerError) {
        // The server refuses values of 1 GB; the length has 31 bits.
        guard let length = Int32(exactly: count) else {
            throw ServerError(
                client: "a value has \(count) bytes, and PostgreSQL stores less than 1 GB; divide"
                    + " the value, or store it in a file")
        }
        appendWord(UInt32(length))
    }

    mutating func append(bytes: UnsafeRawBufferPointer) throws(ServerError) {
        try appendLength(bytes.count)
        if let first = bytes.baseAddress {
            extend(by: bytes.count).copyMemory(from: first, byteCount: bytes.count)
        }
    }

    mutating func append(data: Data) throws(ServerError) {
        try appendLength(data.count)
        let place = UnsafeMutableRawBufferPointer(
            start: extend(by: data.count), count: data.count)
        _ = data.copyBytes(to: place)
    }

    /// Appends a text in UTF-8.
    mutating func append(textBytes bytes: UnsafeRawBufferPointer) throws(ServerError) {
        if let first = bytes.baseAddress, memchr(first, 0, bytes.count) != nil {
            throw .nulCharacter
        }
        try append(bytes: bytes)
    }

    mutating func append(text: String) throws(ServerError) {
        var text = text
        let count = text.utf8.count
        try appendLength(count)
        let place = extend(by: count)
        text.withUTF8 { bytes in
            if let first = bytes.baseAddress { place.copyMemory(from: first, byteCount: count) }
        }
        if memchr(place, 0, count) != nil { throw .nulCharacter }
    }
}

extension ServerError {
    /// The error of a text that the server cannot store.
    static var nulCharacter: ServerError {
        var error = ServerError(
            client: "a text contains the character U+0000, which PostgreSQL does not store; remove"
                + " the character, or use binary data")
        error.sqlState = nulState
        return error
    }

    /// The state with which the server refuses the character, too.
    private static let nulState = "22021"

    /// Whether a text contains a character that the server cannot store.
    package var isUnstorableCharacter: Bool { sqlState == Self.nulState }
}
