/// Authors and books that are generated from a shape and its seed, in the order of their keys.
///
/// The engine and the C baseline insert these rows.
package struct Dataset: Sendable {
    package let shape: DataShape
    package let names: [String]
    /// The books of author `a` begin at index `a * shape.books`.
    package let titles: [String]
    package let years: [Int64]
    package let pages: [Int64]
    package let copies: [Int64]

    /// Generates all rows. The same shape yields the same rows on every machine.
    package init(_ shape: DataShape) {
        var generator = SplitMix64(seed: UInt64(bitPattern: Int64(shape.seed)))
        self.shape = shape
        names = (0..<shape.authors).map {
            Self.text(bytes: 12, using: &generator) + " \($0 + 1)"
        }
        let count = shape.bookTotal
        var titles: [String] = []
        var numbers: [[Int64]] = [[], [], []]
        titles.reserveCapacity(count)
        for index in 0..<count {
            titles.append(
                Self.text(bytes: shape.titleBytes, accented: index % 8 == 7, using: &generator))
            numbers[0].append(Int64(1_900 + generator.below(127)))
            numbers[1].append(Int64(40 + generator.below(960)))
            numbers[2].append(Int64(generator.below(1 << 20)))
        }
        self.titles = titles
        years = numbers[0]
        pages = numbers[1]
        copies = numbers[2]
    }

    /// Lower-case words with `bytes` UTF-8 bytes in total. Accented text has letters of two bytes,
    /// so that the benchmark also measures the decoding of non-ASCII text.
    private static func text(
        bytes: Int, accented: Bool = false, using generator: inout SplitMix64
    ) -> String {
        let consonants = Array("bcdfghklmnprstvw".utf8)
        let vowels = Array("aeiou".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes)
        while result.count < bytes {
            let left = bytes - result.count
            if accented, left >= 2, generator.below(4) == 0 {
                result += Array("é".utf8)
            } else if result.count % 7 == 6, left > 1 {
                result.append(UInt8(ascii: " "))
            } else if result.count % 2 == 0 {
                result.append(consonants[generator.below(consonants.count)])
            } else {
                result.append(vowels[generator.below(vowels.count)])
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
