import CoreDataModel
import Foundation

/// Encodes numbers, strings and values as bytes. `BinaryStoreFormat` writes files with it.
struct ByteWriter {
    package var bytes: [UInt8] = []

    package mutating func append(_ integer: some FixedWidthInteger) {
        withUnsafeBytes(of: integer.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func append(_ text: String) {
        append(Array(text.utf8))
    }

    package mutating func append(_ data: [UInt8]) {
        // A whole file has at most 2 GiB. The size is checked before the file is written.
        append(UInt32(truncatingIfNeeded: data.count))
        bytes.append(contentsOf: data)
    }

    package mutating func append(_ key: ObjectKey) {
        append(UInt32(truncatingIfNeeded: Int(key.entity)))
        append(key.key)
    }

    package mutating func append(_ value: Value) {
        switch value {
        case .null, .object: append(UInt8(0))
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

/// Decodes the output of a ``ByteWriter``. Never reads beyond the end, even if the bytes contain a
/// count that is too large.
struct ByteReader {
    private let bytes: [UInt8]
    package private(set) var offset = 0

    package init(_ data: Data) { bytes = Array(data) }

    var isAtEnd: Bool { offset == bytes.count }

    package func finding(_ text: String) -> FileFinding { FileFinding(offset, text) }

    package mutating func take(_ count: Int) throws(FileFinding) -> ArraySlice<UInt8> {
        guard count <= bytes.count - offset else {
            throw finding("\(count) bytes should follow, but the file has \(bytes.count - offset)")
        }
        defer { offset += count }
        return bytes[offset..<(offset + count)]
    }

    package mutating func integer<T: FixedWidthInteger>() throws(FileFinding) -> T {
        var result: T = 0
        for (place, byte) in try take(MemoryLayout<T>.size).enumerated() {
            result |= T(truncatingIfNeeded: UInt64(byte) << UInt64(8 * place))
        }
        return result
    }

    package mutating func count() throws(FileFinding) -> Int {
        let count: UInt32 = try integer()
        return Int(count)
    }

    package mutating func data() throws(FileFinding) -> Data { Data(try take(try count())) }

    package mutating func text() throws(FileFinding) -> String {
        let slice = try take(try count())
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw FileFinding(slice.startIndex, "a text is not valid UTF-8")
        }
        return text
    }

    package mutating func texts() throws(FileFinding) -> [String] {
        var texts: [String] = []
        for _ in 0..<(try count()) { texts.append(try text()) }
        return texts
    }

    package mutating func reference() throws(FileFinding) -> ObjectKey {
        let entity: UInt32 = try integer()
        let key: Int64 = try integer()
        return ObjectKey(entity: Int(entity), key: key)
    }

    package mutating func references() throws(FileFinding) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        for _ in 0..<(try count()) { keys.append(try reference()) }
        return keys
    }

    package mutating func value() throws(FileFinding) -> Value {
        let start = offset
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
            guard let decimal = StoredValue.decimal(try text()) else {
                throw FileFinding(start, "a decimal number is missing")
            }
            return .decimal(decimal)
        case 7: return .reference(try reference())
        default: throw FileFinding(start, "\(tag) is not a kind of value")
        }
    }
}
