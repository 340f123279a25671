import BenchResults
import LabBench
import Testing

/// Runs every operation on tiny data with the engine. Its results must equal those of the C
/// baseline.
@Suite struct EngineSideTests {
    private func engine(_ operation: String, _ parameters: String = "{}") throws -> SampleReply {
        let engine = try TinyLibrary.reply(.engine, operation, parameters)
        let twin = try TinyLibrary.reply(.twin, operation, parameters)
        #expect(engine.checksum == twin.checksum)
        return engine
    }

    @Test func `a full fetch is one SELECT`() throws {
        let reply = try engine("full-fetch")
        #expect(reply.checksum == TinyLibrary.checksum)
        #expect(reply.counts.statements == ["select": 1])
        #expect(reply.counts.rows == 35)
    }

    @Test func `faults that fire one by one are a SELECT each`() throws {
        let reply = try engine("fire-faults")
        #expect(reply.counts.statements == ["select": 36])
        #expect(reply.counts.faults == 35)
        #expect(reply.counts.rowCacheHits == 0)
    }

    @Test(arguments: [1, 4, 7, 35, 100])
    func `a batch size of n fires n faults with one SELECT`(size: Int) throws {
        let reply = try engine("batch-faults", "{batch: \(size)}")
        #expect(reply.counts.statements == ["select": 1 + (35 + size - 1) / size])
        #expect(reply.statements.count == 2)
    }

    @Test func `reading a relationship of each owner takes a SELECT for each owner`() throws {
        let counted = try engine("read-to-many", "{touch: count}")
        #expect(counted.counts.statements == ["select": 6])
        #expect(counted.counts.relationshipFaults == 5)
        let all = try engine("read-to-many", "{touch: all}")
        #expect(all.counts.statements == ["select": 41])
    }

    @Test(arguments: ["count", "all"])
    func `a prefetched relationship is two SELECTs`(touch: String) throws {
        let reply = try engine("prefetch-to-many", "{touch: \(touch)}")
        #expect(reply.counts.statements == ["select": 2])
        #expect(reply.counts.relationshipFaults == 0)
    }

    // Keys are reserved in one transaction for each entity. It reads the largest key and increases
    // it.
    @Test func `an insert writes what C writes, in one transaction after the keys`() throws {
        let reply = try engine("insert")
        #expect(reply.counts.statements["begin"] == 1 + 2)
        #expect(reply.counts.statements["commit"] == 1 + 2)
        #expect(reply.counts.statements["select"] == 2)
        #expect(reply.counts.statements["update"] == 2)
    }

    @Test func `an update is a statement for each changed row`() throws {
        let reply = try engine("update", "{count: 3}")
        #expect(reply.counts.statements == ["begin": 1, "commit": 1, "update": 3])
    }

    @Test func `a cascade deletes the rows that C deletes`() throws {
        let reply = try engine("delete-owners", "{count: 2}")
        #expect(reply.counts.statements["delete"] == 16)
    }

    @Test(
        arguments: [
            ("read-ladder", "{rung: ids}"), ("read-ladder", "{rung: faults}"),
            ("read-ladder", "{rung: values}"), ("read-ladder", "{rung: relationships}"),
            ("fire-faults", "{source: cache}"), ("refresh", "{source: store}"),
            ("refresh", "{source: cache}"), ("dictionary", "{rows: plain}"),
            ("dictionary", "{rows: grouped}"), ("count", "{pages: 300}"),
            ("open-and-fetch", "{limit: 3}"), ("walk-two-levels", "{prefetch: none}"),
            ("walk-two-levels", "{prefetch: one}"), ("walk-two-levels", "{prefetch: two}"),
            ("many-to-many", "{prefetch: none}"), ("many-to-many", "{prefetch: tags}"),
            ("ordered", "{prefetch: none}"), ("ordered", "{prefetch: items}"),
            ("insert", "{chunk: 10}"), ("insert", "{context: child}"),
            ("conflict", "{count: 4, policy: error}"), ("conflict", "{count: 4, policy: store}"),
            ("conflict", "{count: 4, policy: object}"),
            ("conflict", "{count: 4, policy: overwrite}"),
            ("conflict", "{count: 4, policy: rollback}"), ("merge-delivery", "{count: 4}"),
            ("delete-owners", "{count: 2, rule: nullify}"),
            ("delete-owners", "{count: 2, rule: deny}"), ("read-parallel", "{readers: 3}"),
            ("read-beside-writer", "{writer: busy}"),
            ("read-beside-writer", "{writer: steady}"),
        ])
    func `every operation reads or writes the same data as its C side`(
        operation: String, parameters: String
    ) throws {
        _ = try engine(operation, parameters)
    }

    @Test func `faults of a pinned context are one transaction`() throws {
        let reply = try engine("fire-faults", "{generation: pinned}")
        #expect(reply.counts.statements["begin"] == 1)
        #expect(reply.counts.statements["select"] == 37)
    }

    @Test func `faults whose rows are cached run no statement`() throws {
        let reply = try engine("fire-faults", "{source: cache}")
        #expect(reply.counts.statements == ["select": 1])
        #expect(reply.counts.rowCacheHits == 35)
    }

    @Test func `two levels of prefetching are three SELECTs`() throws {
        let reply = try engine("walk-two-levels", "{prefetch: two}")
        #expect(reply.counts.statements == ["select": 3])
    }

    @Test(arguments: ["nested", "sibling", "separate"])
    func `every import stack saves all its records`(stack: String) throws {
        let parameters = "{stack: \(stack), records: 70, chunk: 14}"
        let reply = try engine("import", parameters)
        #expect(reply.checksum == String(70, radix: 16))
        let names = reply.figures?.map(\.name) ?? []
        #expect(names.contains("fetch, 99th percentile") && names.contains("conflicts"))
    }

    @Test func `a planted statement is counted with its text`() throws {
        let clean = try TinyLibrary.reply(.engine, "full-fetch")
        let planted = try TinyLibrary.reply(.engine, "full-fetch", plant: .statement)
        #expect(planted.checksum == clean.checksum)
        #expect(planted.counts.statements == ["select": 2])
        let appeared = planted.statements.filter { !clean.statements.contains($0) }
        #expect(appeared.map(\.count) == [1])
        #expect(appeared.first?.text.contains("COUNT") == true)
    }
}
