import CBaseline
import LabBench

/// The rows in the form of the C baseline, and their checksums.
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

    /// A checksum of every property of one book. The C code computes the same one.
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
