import LabResults
import SQLAnalysis
import Testing

enum PrintedBlock: String, CaseIterable, CustomStringConvertible {
    case opening, fetch, batchedFetch, fault, toManyFault, prefetch, count, aggregate, save
    case batchRequests, history, migration, conflict, schema, rtree, nestedFault

    var description: String { rawValue }

    func write(_ script: inout LogScript) {
        script.opening()
        switch self {
        case .opening: break
        case .fetch: script.fetch(LogScript.authors, of: "Author", rows: 12)
        case .batchedFetch: script.batches()
        case .fault: script.fault("Author", 4, columns: "t0.ZNAME")
        case .toManyFault:
            script.toMany(
                "books", of: "Author", 4, LogScript.booksOfAuthor, to: "Book", rows: 3)
        case .prefetch: script.prefetches()
        case .count: script.counts()
        case .aggregate: script.aggregates()
        case .save: script.saves()
        case .batchRequests: script.batchRequests()
        case .history: script.history()
        case .migration: script.migration()
        case .conflict: script.conflict()
        case .schema: script.schema()
        case .rtree: script.rtree()
        case .nestedFault:
            // Objects of this entity read another object while they are being fetched.
            script.fetch(LogScript.authors, of: "Author", rows: 5, tenths: 9) {
                $0.fault("Publisher", 2, columns: "t0.ZNAME")
            }
        }
    }
}

@Suite struct PrintedBlockTests {
    @Test(arguments: PrintedBlock.allCases, 1...3)
    func `each statement of a block has its own rows and time, and a clean block no advice`(
        block: PrintedBlock, level: Int
    ) throws {
        var script = LogScript()
        script.level = level
        block.write(&script)
        for style in [LogStyle.plain, .xcode, .wrappedMail, .html, .jsonDump] {
            let report = try SQLLogReader().read(style.bytes(script), name: "console.txt")
            #expect(report.findings == [], "\(style)")
            #expect(report.totals.statements == script.runs.count, "\(style)")
            #expect(
                report.totals.rows == script.runs.reduce(0) { $0 + ($1.rows ?? 0) }, "\(style)")
            try expectEach(script, report, "\(style)")
        }
    }

    private func expectEach(
        _ script: LogScript, _ report: SQLReport, _ comment: Comment
    ) throws {
        var rows: [String: Int] = [:]
        var tenths: [String: Int] = [:]
        for run in script.runs {
            let alone = try SQLLogReader().read(
                Array("CoreData: sql: \(run.sql)\n".utf8), name: "one")
            rows[alone.shapes[0].text, default: 0] += run.rows ?? 0
            tenths[alone.shapes[0].text, default: 0] += run.tenths ?? 0
        }
        for shape in report.shapes {
            #expect(shape.rows == rows[shape.text], comment)
            #expect(Int(shape.nanoseconds / 100_000) == tenths[shape.text], comment)
        }
        #expect(report.shapes.count == rows.count, comment)
    }

    @Test func `a statement that appears only in the line of its rows is counted, too`() throws {
        let text =
            "CoreData: annotation: fetch using NSSQLiteStatement <0x60> on entity 'Person' with "
            + "sql text 'SELECT 0, t0.Z_PK, t0.ZNAME FROM ZPERSON t0 ' returned 688187 rows\n"
        let report = try SQLLogReader().read(Array(text.utf8), name: "console.txt")
        #expect(report.shapes.map(\.rows) == [688_187])
        #expect(report.shapes.map(\.entity) == ["Person"])
        #expect(report.findings.map(\.kind) == [.unboundedFetch])
        #expect(report.findings.first?.title.contains("688187 rows") == true)
    }

    @Test func `a total whose statement is missing from the log is not assigned to another one`()
        throws
    {
        let text = """
            CoreData: sql: SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA
            CoreData: annotation: sql connection fetch time: 0.0400s
            CoreData: annotation: total fetch execution time: 0.0500s for 900 rows.
            CoreData: sql: SELECT 0, t0.Z_PK FROM ZA t0 WHERE  t0.Z_PK = ?
            CoreData: annotation: total fetch execution time: 0.0500s for 900 rows.
            """
        let report = try SQLLogReader().read(Array(text.utf8), name: "console.txt")
        #expect(report.totals.rows == 0)
        #expect(report.shapes.allSatisfy { $0.rowsKnown == 0 })
        #expect(report.notes.contains { $0.hasPrefix("2 totals of fetches whose statement") })
    }

    @Test func `a statement whose columns were cut from the log is still a fetch of objects`()
        throws
    {
        for gap in ["...", "\u{2026}", "[...]"] {
            let text = """
                CoreData: sql: SELECT 0, t0.Z_PK, \(gap) FROM ZPERSON t0
                CoreData: annotation: sql connection fetch time: 0.0300s
                CoreData: annotation: total fetch execution time: 0.0400s for 5000 rows.
                """
            let report = try SQLLogReader().read(Array(text.utf8), name: "article")
            #expect(report.findings.map(\.kind) == [.unboundedFetch], "\(gap)")
            #expect(report.totals.truncated == 0, "\(gap)")
        }
    }

    @Test func `an outer fetch by a list keeps its rows apart from those of its prefetch`() throws {
        var script = LogScript()
        script.fetch(
            "SELECT 0, t0.Z_PK, t0.ZNAME, t0.ZCITY FROM ZAUTHOR t0 WHERE  t0.ZNAME IN  (?,?,?) ",
            of: "Author", rows: 3
        ) {
            $0.prefetch(
                "city",
                "SELECT 0, t0.Z_PK, t0.ZNAME FROM ZCITY t0 WHERE  t0.Z_PK IN  (?,?) ", of: "City",
                rows: 2)
        }
        let report = try SQLLogReader().read(LogStyle.plain.bytes(script), name: "console.txt")
        #expect(report.shapes.map(\.rows).sorted() == [2, 3])
        #expect(report.shapes.allSatisfy { $0.rowsKnown == 1 })
    }
}
