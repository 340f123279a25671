import Foundation

/// Appends numbers, texts and values to bytes; `BinaryStoreFormat` writes with it.
struct ByteWriter {
    var bytes: [UInt8] = []

    mutating func append(_ integer: some FixedWidthInteger) {
        withUnsafeBytes(of: integer.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ text: String) {
        append(Array(text.utf8))
    }

    mutating func append(_ data: [UInt8]) {
        append(UInt32(truncatingIfNeeded: data.count))
        bytes.append(contentsOf: data)
    }

    mutating func append(_ key: ObjectKey) {
        append(UInt32(truncatingIfNeeded: Int(key.entity)))
        append(key.key)
    }

    mutating func append(_ value: Value) {
        switch value {
        case .null: append(UInt8(0))
        case .integer(let integer):
            append(UInt8(1))
            append(integer)
        case .double(let double):
            append(UInt8(2))
            append(double.bitPattern)
        case .string(let text):
            append(UInt8(3))
            append(text)
        case .data(let data):
            append(UInt8(4))
            append(Array(data))
        case .uuid(let uuid):
            append(UInt8(5))
            withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) }
        case .decimal(let decimal):
            append(UInt8(6))
            append(decimal.description)
        case .reference(let key):
            append(UInt8(7))
            append(key)
        }
    }
}

/// Reads what a ``ByteWriter`` wrote; never beyond the end.
struct ByteReader {
    /// Where the bytes are not as they should be.
    struct Failure: Error { let offset: Int }

    private let bytes: [UInt8]
    private var offset = 0

    init(_ data: Data) { bytes = Array(data) }

    private var failure: Failure { Failure(offset: offset) }

    var rest: Data { Data(bytes[offset...]) }

    private mutating func take(_ count: Int) throws(Failure) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.count - offset else { throw failure }
        defer { offset += count }
        return bytes[offset..<(offset + count)]
    }

    mutating func expect(_ wanted: [UInt8]) throws(Failure) {
        guard bytes.count - offset >= wanted.count, try take(wanted.count).elementsEqual(wanted)
        else { throw failure }
    }

    mutating func integer<T: FixedWidthInteger>() throws(Failure) -> T {
        var result: T = 0
        for (place, byte) in try take(MemoryLayout<T>.size).enumerated() {
            result |= T(truncatingIfNeeded: UInt64(byte) << UInt64(8 * place))
        }
        return result
    }

    mutating func data() throws(Failure) -> Data {
        let count: UInt32 = try integer()
        return Data(try take(Int(count)))
    }

    mutating func text() throws(Failure) -> String {
        let count: UInt32 = try integer()
        let slice = try take(Int(count))
        guard let text = String(validating: slice, as: UTF8.self) else { throw failure }
        return text
    }

    mutating func texts() throws(Failure) -> [String] {
        let count: UInt32 = try integer()
        var texts: [String] = []
        for _ in 0..<Int(count) { texts.append(try text()) }
        return texts
    }

    mutating func reference() throws(Failure) -> ObjectKey {
        let entity: UInt32 = try integer()
        let key: Int64 = try integer()
        return ObjectKey(entity: Int(entity), key: key)
    }

    mutating func references() throws(Failure) -> [ObjectKey] {
        let count: UInt32 = try integer()
        var keys: [ObjectKey] = []
        for _ in 0..<Int(count) { keys.append(try reference()) }
        return keys
    }

    mutating func value() throws(Failure) -> Value {
        let tag: UInt8 = try integer()
        switch tag {
        case 0: return .null
        case 1: return .integer(try integer())
        case 2: return .double(Double(bitPattern: try integer()))
        case 3: return .string(try text())
        case 4: return .data(try data())
        case 5:
            var uuid = UUID().uuid
            let source = try take(16)
            withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: source) }
            return .uuid(UUID(uuid: uuid))
        case 6:
            guard let decimal = Decimal(string: try text()) else { throw failure }
            return .decimal(decimal)
        case 7: return .reference(try reference())
        default: throw failure
        }
    }
}
