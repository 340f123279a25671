/// Damages binary property lists and keyed archives: changes references, types, lengths, numbers
/// and the offset table.
struct PropertyListSource: FuzzSource {
    private let seeds: [Seed]

    init(_ seeds: [[UInt8]]) { self.seeds = seeds.map(Seed.init) }

    var plain: [UInt8] { seeds[0].bytes }

    func input(_ random: inout FuzzRandom) -> [UInt8] {
        let seed = random.pick(seeds)
        var bytes = seed.bytes
        for _ in 0...random.small(random.oneIn(4) ? 6 : 3) { seed.edit(&bytes, &random) }
        return bytes
    }

    /// A binary property list, with the positions of the bytes that can be changed without moving
    /// other bytes.
    private struct Seed: Sendable {
        let bytes: [UInt8]
        /// The positions of the bytes with an object's type and length.
        private(set) var markers: [Int] = []
        private(set) var members: [Int] = []
        /// The positions and sizes of the references in keyed archives.
        private(set) var references: [(place: Int, size: Int)] = []
        private(set) var integers: [(place: Int, size: Int)] = []
        private(set) var texts: [Range<Int>] = []
        private var referenceSize = 1

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            guard bytes.count >= 40 else { return }
            let trailer = bytes.count - 32
            let offsetSize = Int(bytes[trailer + 6])
            referenceSize = Int(bytes[trailer + 7])
            let (count, table) = (number(trailer + 8, 8), number(trailer + 24, 8))
            guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
                count < bytes.count, table + count * offsetSize <= bytes.count
            else { return }
            for index in 0..<count { note(number(table + index * offsetSize, offsetSize)) }
        }

        private func number(_ place: Int, _ size: Int) -> Int {
            guard place + size <= bytes.count else { return 0 }
            let word = bytes[place..<place + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Int(truncatingIfNeeded: word & 0x7FFF_FFFF)
        }

        private mutating func note(_ offset: Int) {
            guard bytes.indices.contains(offset) else { return }
            markers.append(offset)
            let low = Int(bytes[offset] & 0x0F)
            var (count, start) = (low, offset + 1)
            if low == 15, offset + 1 < bytes.count {
                let size = 1 << Int(bytes[offset + 1] & 3)
                (count, start) = (number(offset + 2, size), offset + 2 + size)
            }
            switch bytes[offset] >> 4 {
            case 0x1: integers.append((offset + 1, 1 << min(low, 3)))
            case 0x5 where start + count <= bytes.count: texts.append(start..<start + count)
            case 0x8: references.append((offset + 1, low + 1))
            case 0xA, 0xC, 0xD:
                let total = bytes[offset] >> 4 == 0xD ? count * 2 : count
                for index in 0..<min(total, bytes.count) {
                    members.append(start + index * referenceSize)
                }
            default: break
            }
        }

        func edit(_ bytes: inout [UInt8], _ random: inout FuzzRandom) {
            switch random.below(10) {
            case 0...2 where !references.isEmpty:
                rewrite(&bytes, random.pick(references), markers.count, &random)
            case 3 where !members.isEmpty:
                let place = random.pick(members)
                rewrite(&bytes, (place, referenceSize), markers.count, &random)
            case 4...5 where !markers.isEmpty: changeMarker(&bytes, &random)
            case 6 where !integers.isEmpty: rewrite(&bytes, random.pick(integers), nil, &random)
            case 7 where !texts.isEmpty: rename(&bytes, &random)
            case 8: changeTrailer(&bytes, &random)
            default: ByteEdits.apply(&bytes, &random)
            }
        }

        private func rewrite(
            _ bytes: inout [UInt8], _ field: (place: Int, size: Int), _ bound: Int?,
            _ random: inout FuzzRandom
        ) {
            guard field.place + field.size <= bytes.count else { return }
            var word = random.pick(ByteEdits.numbers)
            if let bound, !random.oneIn(12) { word = UInt64(random.below(bound)) }
            for index in 0..<field.size {
                let shift = UInt64((field.size - 1 - index) * 8)
                bytes[field.place + index] = UInt8(truncatingIfNeeded: word >> shift)
            }
        }

        private func changeMarker(_ bytes: inout [UInt8], _ random: inout FuzzRandom) {
            let place = random.pick(markers)
            guard place < bytes.count else { return }
            bytes[place] =
                random.oneIn(2)
                ? bytes[place] & 0xF0 | random.byte() & 0x0F
                : bytes[place] & 0x0F | random.byte() & 0xF0
        }

        /// Overwrites a string with the bytes of another string, up to the length of the shorter
        /// one.
        private func rename(_ bytes: inout [UInt8], _ random: inout FuzzRandom) {
            let (from, to) = (random.pick(texts), random.pick(texts))
            guard to.upperBound <= bytes.count else { return }
            for (source, target) in zip(from, to) { bytes[target] = self.bytes[source] }
        }

        private func changeTrailer(_ bytes: inout [UInt8], _ random: inout FuzzRandom) {
            guard bytes.count >= 32 else { return }
            let place = bytes.count - 32 + 6 + random.below(26)
            bytes[place] = random.oneIn(2) ? random.byte() : bytes[place] &+ 1
        }
    }
}
