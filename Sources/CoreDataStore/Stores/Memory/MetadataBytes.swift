import CoreDataModel
import CoreDataTrace
import Foundation

// The metadata of binary stores as bytes. A property list of Foundation may refer to one value many
// times, so a small file could expand to more values than memory can hold. Here each value occurs
// once.

extension ByteWriter {
    /// - Throws: `invalidArgument` for a value that is not a property list.
    package mutating func append(metadata values: [String: any Sendable]) throws(CoreDataError) {
        append(dictionary: try MemoryMetadata.writable(values))
    }

    private mutating func append(dictionary: [String: any Sendable]) {
        append(UInt32(truncatingIfNeeded: dictionary.count))
        for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
            append(key)
            append(any: value)
        }
    }

    private mutating func append(any value: any Sendable) {
        switch value {
        case let text as String:
            append(UInt8(1))
            append(text)
        case let flag as Bool:
            append(UInt8(2))
            append(UInt8(flag ? 1 : 0))
        case let integer as Int:
            append(UInt8(3))
            append(Int64(integer))
        case let double as Double:
            append(UInt8(4))
            append(double.bitPattern)
        case let date as Date:
            append(UInt8(5))
            append(date.timeIntervalSinceReferenceDate.bitPattern)
        case let data as Data:
            append(UInt8(6))
            append(Array(data))
        case let array as [any Sendable]:
            append(UInt8(7))
            append(UInt32(truncatingIfNeeded: array.count))
            for element in array { append(any: element) }
        case let dictionary as [String: any Sendable]:
            append(UInt8(8))
            append(dictionary: dictionary)
        default:
            // Safe: `writable` returns only values of these types.
            trap("Metadata contains a \(type(of: value)) although it was checked.")
        }
    }
}

extension ByteReader {
    package mutating func metadata() throws(FileFinding) -> [String: any Sendable] {
        try dictionary(depth: 1)
    }

    private mutating func dictionary(
        depth: Int
    ) throws(FileFinding) -> [String: any Sendable] {
        var values: [String: any Sendable] = [:]
        for _ in 0..<(try count()) {
            let key = try text()
            let value = try any(depth: depth)
            guard values.updateValue(value, forKey: key) == nil else {
                throw finding("the metadata has the key '\(key)' twice")
            }
        }
        return values
    }

    private mutating func any(depth: Int) throws(FileFinding) -> any Sendable {
        guard depth <= MemoryMetadata.depthMax else {
            throw finding("the metadata is nested too deeply")
        }
        let tag: UInt8 = try integer()
        switch tag {
        case 1: return try text()
        case 2:
            let flag: UInt8 = try integer()
            return flag != 0
        case 3:
            let integer: Int64 = try integer()
            return Int(integer)
        case 4: return Double(bitPattern: try integer())
        case 5: return Date(timeIntervalSinceReferenceDate: Double(bitPattern: try integer()))
        case 6: return try data()
        case 7:
            var array: [any Sendable] = []
            for _ in 0..<(try count()) { array.append(try any(depth: depth + 1)) }
            return array
        case 8: return try dictionary(depth: depth + 1)
        default: throw finding("\(tag) is not a kind of metadata")
        }
    }
}
