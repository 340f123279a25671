import BenchOperations
import LabBench
import Testing

@Suite struct DatasetTests {
    let shape = DataShape(authors: 7, books: 9, titleBytes: 21, seed: 5)

    @Test func `the same shape gives the same rows`() {
        let (first, second) = (Dataset(shape), Dataset(shape))
        #expect(first.names == second.names)
        #expect(first.titles == second.titles)
        #expect(first.years == second.years)
        #expect(first.pages == second.pages)
        #expect(first.copies == second.copies)
        #expect(first.touchChecksum == second.touchChecksum)
    }

    @Test func `another seed gives other rows`() {
        var other = shape
        other.seed = 6
        #expect(Dataset(shape).titles != Dataset(other).titles)
        #expect(Dataset(shape).touchChecksum != Dataset(other).touchChecksum)
    }

    @Test func `rows have the number and length of the shape`() {
        let dataset = Dataset(shape)
        #expect(dataset.names.count == 7)
        #expect(Set(dataset.names).count == 7)
        #expect(dataset.titles.count == 63)
        #expect(dataset.titles.allSatisfy { $0.utf8.count == 21 })
        #expect(dataset.titles.contains { !$0.utf8.allSatisfy { $0 < 128 } })
        #expect(dataset.years.allSatisfy { (1_900..<2_027).contains($0) })
    }

    // Other rows would invalidate committed baselines and published checksums.
    @Test func `the rows of a seed are the same in every version`() {
        let dataset = Dataset(DataShape(authors: 2, books: 2, titleBytes: 12, seed: 1))
        #expect(dataset.names == ["nowilo umesi 1", "nimido upuca 2"])
        #expect(dataset.touchChecksum == 20_863_608)
    }
}
