import CBaseline

/// Authors and books that are generated from a shape and its seed, in the order of their keys.
///
/// The engine and the C baseline insert these rows, and checksums are computed from them.
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

extension Dataset {
    package var touchChecksum: UInt64 {
        var sum: UInt64 = 0
        for index in titles.indices {
            sum &+= Self.touch(
                year: years[index], pages: pages[index], copies: copies[index],
                title: titles[index], hasAuthor: true)
        }
        return sum
    }

    /// A checksum of every property of one book. The C code computes the same checksum.
    @inline(__always)
    package static func touch(
        year: Int64, pages: Int64, copies: Int64, title: String, hasAuthor: Bool
    ) -> UInt64 {
        let utf8 = title.utf8
        var sum = UInt64(bitPattern: year &* 3 &+ pages &* 5 &+ copies &* 7)
        sum &+= UInt64(truncatingIfNeeded: utf8.count) &* 11
        sum &+= UInt64(utf8.first ?? 0) &* 13
        return sum &+ (hasAuthor ? 17 : 0)
    }

    /// Passes pointers to the rows to `body`. They are valid until `body` returns.
    func withBaseline<Result>(_ body: (UnsafePointer<cb_dataset>) -> Result) -> Result {
        let (nameBytes, nameOffsets) = Self.joined(names)
        let (titleBytes, titleOffsets) = Self.joined(titles)
        return nameBytes.withUnsafeBufferPointer { nameBytes in
            titleBytes.withUnsafeBufferPointer { titleBytes in
                var dataset = cb_dataset()
                dataset.authors = Int64(shape.authors)
                dataset.books_per_author = Int64(shape.books)
                dataset.names = nameBytes.baseAddress
                dataset.titles = titleBytes.baseAddress
                return withArrays(nameOffsets, titleOffsets, in: &dataset, body)
            }
        }
    }

    private func withArrays<Result>(
        _ nameOffsets: [Int64], _ titleOffsets: [Int64], in dataset: inout cb_dataset,
        _ body: (UnsafePointer<cb_dataset>) -> Result
    ) -> Result {
        nameOffsets.withUnsafeBufferPointer { nameOffsets in
            titleOffsets.withUnsafeBufferPointer { titleOffsets in
                years.withUnsafeBufferPointer { years in
                    pages.withUnsafeBufferPointer { pages in
                        copies.withUnsafeBufferPointer { copies in
                            dataset.name_offsets = nameOffsets.baseAddress
                            dataset.title_offsets = titleOffsets.baseAddress
                            dataset.years = years.baseAddress
                            dataset.pages = pages.baseAddress
                            dataset.copies = copies.baseAddress
                            return body(&dataset)
                        }
                    }
                }
            }
        }
    }

    /// The strings one after another, and the offset of each. The last offset is the end of the
    /// last string.
    private static func joined(_ texts: [String]) -> ([CChar], [Int64]) {
        var bytes: [CChar] = []
        var offsets: [Int64] = [0]
        for text in texts {
            bytes.append(contentsOf: text.utf8.lazy.map { CChar(bitPattern: $0) })
            offsets.append(Int64(bytes.count))
        }
        return (bytes, offsets)
    }
}
