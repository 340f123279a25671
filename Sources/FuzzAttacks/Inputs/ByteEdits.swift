/// Random changes to the bytes of any format.
enum ByteEdits {
    /// Numbers that often cause faults in readers, such as the limits of each integer size and
    /// their neighbours.
    static let numbers: [UInt64] = [
        0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x1_0000, 0x7FFF_FFFF,
        0x8000_0000, 0xFFFF_FFFF, 0x1_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000,
        0xFFFF_FFFF_FFFF_FFFF,
    ]

    static func apply(_ bytes: inout [UInt8], _ random: inout FuzzRandom) {
        guard !bytes.isEmpty else { return bytes.append(random.byte()) }
        switch random.below(9) {
        case 0: bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
        case 1: bytes[random.below(bytes.count)] = random.byte()
        case 2: bytes.removeSubrange(random.range(in: bytes.count))
        case 3:
            let part = Array(bytes[random.range(in: bytes.count)])
            bytes.insert(contentsOf: part, at: random.place(in: bytes.count))
        case 4: bytes.removeSubrange(random.below(bytes.count)...)
        case 5: overwrite(&bytes, random.pick(numbers), &random)
        case 6: overwrite(&bytes, random.word(), &random)
        case 7:
            let part = random.range(in: bytes.count)
            let value = random.oneIn(2) ? 0 : random.byte()
            for index in part { bytes[index] = value }
        default:
            let places = (random.below(bytes.count), random.below(bytes.count))
            bytes.swapAt(places.0, places.1)
        }
    }

    /// Overwrites bytes with a number of 1, 2, 4 or 8 bytes in either byte order.
    private static func overwrite(
        _ bytes: inout [UInt8], _ number: UInt64, _ random: inout FuzzRandom
    ) {
        let width = 1 << random.below(4)
        let start = random.below(bytes.count)
        let isBigEndian = random.oneIn(2)
        for index in 0..<min(width, bytes.count - start) {
            let shift = UInt64((isBigEndian ? width - 1 - index : index) * 8)
            bytes[start + index] = UInt8(truncatingIfNeeded: number >> shift)
        }
    }
}

/// Generates inputs by changing bytes of seed inputs.
struct ByteSource: FuzzSource {
    let seeds: [[UInt8]]

    var plain: [UInt8] { seeds[0] }

    func input(_ random: inout FuzzRandom) -> [UInt8] {
        var bytes = random.pick(seeds)
        for _ in 0...random.small(random.oneIn(4) ? 8 : 3) { ByteEdits.apply(&bytes, &random) }
        return bytes
    }
}
