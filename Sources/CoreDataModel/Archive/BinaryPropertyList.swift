import CoreDataTrace
import Foundation

/// A property list with the object references that keyed archives need.
///
/// Foundation cannot write such references, and cannot archive objects whose classes belong to
/// other frameworks. So the model archiver builds this form.
package indirect enum ArchiveValue: Sendable {
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case data(Data)
    /// Used only in property lists. In a keyed archive, a date is an object.
    case date(Date)
    case string(String)
    case reference(Int)
    case array([ArchiveValue])
    case dictionary([(key: String, value: ArchiveValue)])
}

/// Writes the binary form of a property list (`bplist00`).
package struct BinaryPropertyListWriter {
    private var bytes = Array("bplist00".utf8)
    private var offsets: [Int] = []
    private let referenceSize: Int

    package static func data(_ root: ArchiveValue) -> Data {
        var writer = BinaryPropertyListWriter(count: count(root))
        let top = writer.write(root)
        writer.finish(top)
        return Data(writer.bytes)
    }

    private init(count: Int) { referenceSize = Self.size(of: count) }

    private static func count(_ value: ArchiveValue) -> Int {
        switch value {
        case .array(let elements): elements.reduce(1) { $0 + count($1) }
        case .dictionary(let pairs): pairs.reduce(1) { $0 + 1 + count($1.value) }
        default: 1
        }
    }

    private static func size(of number: Int) -> Int {
        number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : 4
    }

    /// Writes the elements of a value and then the value. Returns the index of the value's object.
    private mutating func write(_ value: ArchiveValue) -> Int {
        switch value {
        case .array(let elements):
            let parts = elements.map { write($0) }
            begin()
            header(0xA0, parts.count)
            for part in parts { append(part, referenceSize) }
        case .dictionary(let pairs):
            let keys = pairs.map { write(.string($0.key)) }
            let values = pairs.map { write($0.value) }
            begin()
            header(0xD0, keys.count)
            for part in keys + values { append(part, referenceSize) }
        default:
            begin()
            writeLeaf(value)
        }
        return offsets.count - 1
    }

    private mutating func writeLeaf(_ value: ArchiveValue) {
        switch value {
        case .boolean(let flag): bytes.append(flag ? 0x09 : 0x08)
        case .integer(let number): writeInteger(number)
        case .real(let number):
            bytes.append(0x23)
            appendWord(number.bitPattern)
        case .date(let date):
            bytes.append(0x33)
            appendWord(date.timeIntervalSinceReferenceDate.bitPattern)
        case .data(let data):
            header(0x40, data.count)
            bytes += data
        case .string(let text): writeString(text)
        case .reference(let number):
            let size = Self.size(of: number)
            bytes.append(0x80 | UInt8(size - 1))
            append(number, size)
        case .array, .dictionary: trap("this kind of value cannot be written; add a case for it")
        }
    }

    /// Writes a negative number in eight bytes, and any other number in as few bytes as possible.
    private mutating func writeInteger(_ number: Int64) {
        guard number >= 0, number < 1 << 31 else {
            bytes.append(0x13)
            appendWord(UInt64(bitPattern: number))
            return
        }
        let size = Self.size(of: Int(number))
        bytes.append(0x10 | UInt8(size.trailingZeroBitCount))
        append(Int(number), size)
    }

    private mutating func writeString(_ text: String) {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            header(0x50, text.utf8.count)
            bytes += Array(text.utf8)
        } else {
            header(0x60, text.utf16.count)
            for unit in text.utf16 { append(Int(unit), 2) }
        }
    }

    private mutating func begin() { offsets.append(bytes.count) }

    private mutating func header(_ type: UInt8, _ count: Int) {
        guard count >= 15 else {
            bytes.append(type | UInt8(count))
            return
        }
        bytes.append(type | 0x0F)
        writeInteger(Int64(count))
    }

    private mutating func append(_ number: Int, _ size: Int) {
        for shift in stride(from: (size - 1) * 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    private mutating func appendWord(_ word: UInt64) {
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: word >> shift))
        }
    }

    private mutating func finish(_ top: Int) {
        let table = bytes.count
        let offsetSize = Self.size(of: table)
        for offset in offsets { append(offset, offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        appendWord(UInt64(offsets.count))
        appendWord(UInt64(top))
        appendWord(UInt64(table))
    }
}
