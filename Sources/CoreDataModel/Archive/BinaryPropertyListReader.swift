import Foundation

/// Reads the binary form of a property list, including the references in keyed archives, which
/// Foundation does not expose.
///
/// Arbitrary bytes yield a value or nil, never a crash.
package struct BinaryPropertyListReader {
    private let bytes: [UInt8]
    private let offsets: [Int]
    private let referenceSize: Int
    /// The number of values that may still be read. It is limited, because a small file can refer
    /// to a long list many times.
    private var budget: Int
    private let depthMax: Int

    /// The root of a list, or nil if the bytes are not a list.
    ///
    /// - Parameter depthMax: the maximum nesting of lists; keyed archives are flat. The limit stops
    ///   lists that contain themselves.
    package static func read(_ data: Data, depthMax: Int = 8) -> ArchiveValue? {
        let bytes = Array(data)
        guard bytes.count >= 40, bytes.starts(with: Array("bplist00".utf8)) else { return nil }
        let trailer = bytes.count - 32
        let offsetSize = Int(bytes[trailer + 6])
        let referenceSize = Int(bytes[trailer + 7])
        guard let count = number(bytes, trailer + 8, 8), let top = number(bytes, trailer + 16, 8),
            let table = number(bytes, trailer + 24, 8), (1...8).contains(offsetSize),
            (1...8).contains(referenceSize), count <= bytes.count, table <= trailer
        else { return nil }
        var offsets: [Int] = []
        for index in 0..<count {
            guard let offset = number(bytes, table + index * offsetSize, offsetSize) else {
                return nil
            }
            offsets.append(offset)
        }
        var reader = BinaryPropertyListReader(
            bytes: bytes, offsets: offsets, referenceSize: referenceSize, depthMax: depthMax)
        return reader.value(top, depth: 0)
    }

    private init(bytes: [UInt8], offsets: [Int], referenceSize: Int, depthMax: Int) {
        self.bytes = bytes
        self.offsets = offsets
        self.referenceSize = referenceSize
        self.depthMax = depthMax
        budget = bytes.count * 16
    }

    private static func number(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> Int? {
        guard offset >= 0, size <= 8, offset <= bytes.count - size else { return nil }
        let word = bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(exactly: word)
    }

    private mutating func value(_ index: Int, depth: Int) -> ArchiveValue? {
        budget -= 1
        guard offsets.indices.contains(index), depth < depthMax, budget > 0,
            bytes.indices.contains(offsets[index])
        else { return nil }
        let offset = offsets[index]
        let (type, low) = (bytes[offset] >> 4, Int(bytes[offset] & 0x0F))
        switch type {
        case 0x0: return low == 8 || low == 9 ? .boolean(low == 9) : nil
        case 0x1: return integer(offset + 1, low)
        case 0x2: return real(offset + 1, low)
        case 0x3:
            guard case .real(let seconds)? = real(offset + 1, low), low == 3 else { return nil }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case 0x8:
            return Self.number(bytes, offset + 1, low + 1).map(ArchiveValue.reference)
        case 0x4, 0x5, 0x6: return text(type, offset, low)
        case 0xA, 0xD: return list(type, offset, low, depth)
        default: return nil
        }
    }

    private func integer(_ offset: Int, _ power: Int) -> ArchiveValue? {
        // Sixteen bytes store an integer that does not fit into a signed 64-bit integer.
        if power == 4 {
            guard let high = Self.number(bytes, offset, 8), high == 0, offset + 16 <= bytes.count
            else { return nil }
            let word = bytes[offset + 8..<offset + 16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Int64(exactly: word).map(ArchiveValue.integer) ?? .real(Double(word))
        }
        guard power <= 3, offset + 1 << power <= bytes.count else { return nil }
        let slice = bytes[offset..<offset + 1 << power]
        let word = slice.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return .integer(Int64(bitPattern: word))
    }

    private func real(_ offset: Int, _ power: Int) -> ArchiveValue? {
        guard power == 2 || power == 3, offset + 1 << power <= bytes.count else { return nil }
        let slice = bytes[offset..<offset + 1 << power]
        let word = slice.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return power == 3
            ? .real(Double(bitPattern: word))
            : .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: word))))
    }

    private func extent(_ offset: Int, _ low: Int) -> (count: Int, start: Int)? {
        guard low == 15 else { return (low, offset + 1) }
        guard offset + 1 < bytes.count, bytes[offset + 1] >> 4 == 1 else { return nil }
        let size = 1 << Int(bytes[offset + 1] & 0x0F)
        guard let count = Self.number(bytes, offset + 2, size) else { return nil }
        return (count, offset + 2 + size)
    }

    private func text(_ type: UInt8, _ offset: Int, _ low: Int) -> ArchiveValue? {
        guard let (count, start) = extent(offset, low), count <= bytes.count else { return nil }
        let size = type == 0x6 ? count * 2 : count
        guard start <= bytes.count - size else { return nil }
        let slice = bytes[start..<start + size]
        switch type {
        case 0x4: return .data(Data(slice))
        case 0x5: return .string(String(decoding: slice, as: UTF8.self))
        default:
            let units = stride(from: start, to: start + size, by: 2).map { index -> UInt16 in
                let high = UInt16(bytes[index]), low = UInt16(bytes[index + 1])
                return high << 8 | low
            }
            return .string(String(decoding: units, as: UTF16.self))
        }
    }

    private mutating func list(
        _ type: UInt8, _ offset: Int, _ low: Int, _ depth: Int
    ) -> ArchiveValue? {
        guard let (count, start) = extent(offset, low), count <= bytes.count else { return nil }
        let total = type == 0xD ? count * 2 : count
        var parts: [ArchiveValue] = []
        for position in 0..<total {
            guard let index = Self.number(bytes, start + position * referenceSize, referenceSize),
                let part = value(index, depth: depth + 1)
            else { return nil }
            parts.append(part)
        }
        guard type == 0xD else { return .array(parts) }
        var pairs: [(key: String, value: ArchiveValue)] = []
        var keys: Set<String> = []
        for position in 0..<count {
            // A key that appears twice is an error, because readers disagree about its value.
            guard case .string(let key) = parts[position], keys.insert(key).inserted else {
                return nil
            }
            pairs.append((key, parts[count + position]))
        }
        return .dictionary(pairs)
    }
}
