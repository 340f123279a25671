import LabResults
import SQLAnalysis
import Testing

@Suite struct XcodeLogTests {
    private func read(_ log: XcodeLog) throws -> SQLReport {
        try SQLLogReader().read(log.bytes, name: "console.txt")
    }

    private func finding(_ report: SQLReport, _ kind: SQLFinding.Kind) throws -> SQLFinding {
        try #require(report.findings.first { $0.kind == kind })
    }

    @Test func `a planted N+1 between another thread's lines is found, with its fetch and cure`()
        throws
    {
        let report = try read(.library())
        let cure = try finding(report, .missingPrefetch)
        #expect(cure.keyPaths == ["books.publisher"])
        #expect(cure.origin?.line == 1)
        #expect(cure.origin?.entity == "Author")
        #expect(cure.origin?.rows == 12)
        #expect(
            cure.code?.hasPrefix("request.relationshipKeyPathsForPrefetching = [\"books") == true)
        let chains = report.findings.filter { $0.kind == .nPlusOne }
        let toMany = try #require(chains.first { $0.title.contains("Author.books") })
        #expect(toMany.statements == 12)
        #expect(toMany.keyPaths == ["books"])
        #expect(toMany.advice == "Prefetch \"books\" with the fetch in line 1.")
        #expect(toMany.statement?.hasSuffix("FROM ZBOOK t0 WHERE t0.ZAUTHOR = ?") == true)
        #expect(report.totals.threads == 2)
        #expect(report.totals.transactions == 12)
        #expect(report.totals.transactionsPerSecond != nil)
    }

    @Test func `without thread numbers the same chain is found`() throws {
        let report = try read(.library(prefixes: false))
        let cure = try finding(report, .missingPrefetch)
        #expect(cure.keyPaths.first?.hasPrefix("books") == true)
        #expect(cure.origin?.line == 1)
        let toMany = report.findings.first { $0.title.contains("Author.books") }
        #expect(toMany?.statements == 12)
    }

    @Test(arguments: [60, 90, 120])
    func `statements that are cut off still form the chain`(length: Int) throws {
        let report = try read(.library(lengthMax: length))
        #expect(report.totals.truncated > 0)
        #expect(report.notes.contains { $0.contains("cut off") })
        let toMany = report.findings.first {
            $0.kind == .nPlusOne && $0.title.contains("Author.books")
        }
        #expect(toMany?.statements == 12)
        #expect(toMany?.origin?.line == 1)
        #expect(toMany?.keyPaths == ["books"])
    }

    @Test func `lines that a console wrapped are one statement again`() throws {
        var log = XcodeLog()
        log.hasPrefixes = false
        log.fetch(XcodeLog.authors, rows: 12)
        for author in 1...6 { log.toManyFault(author, rows: 2) }
        let whole = try read(log)
        for width in [40, 61, 80] {
            let wrapped = log.lines.flatMap { line in
                stride(from: 0, to: line.count, by: width).map {
                    String(line.dropFirst($0).prefix(width))
                }
            }
            let text = wrapped.map { $0 + "\n" }.joined()
            let report = try SQLLogReader().read([UInt8](text.utf8), name: "console.txt")
            #expect(report.shapes.map(\.text) == whole.shapes.map(\.text), "width \(width)")
            #expect(report.totals.rows == whole.totals.rows, "width \(width)")
            #expect(report.findings.first?.keyPaths == ["books"], "width \(width)")
        }
    }

    @Test func `an entry that is split by another thread's line is joined`() throws {
        let text = """
            2024-05-01 10:11:12.001000+0200 App[1:7] CoreData: sql: SELECT 0, t0.Z_PK FR\
            2024-05-01 10:11:12.002000+0200 App[1:8] CoreData: sql: COMMIT
            OM ZAUTHOR t0 WHERE  t0.ZNAME = ?
            2024-05-01 10:11:12.003000+0200 App[1:7] CoreData: annotation: sql connection fetch \
            time: 0.0003s
            """
        let report = try SQLLogReader().read([UInt8](text.utf8), name: "console.txt")
        #expect(
            report.shapes.map(\.text) == [
                "SELECT 0, t0.Z_PK FROM ZAUTHOR t0 WHERE t0.ZNAME = ?", "COMMIT",
            ])
        #expect(report.shapes.first?.nanoseconds == 300_000)
        #expect(report.totals.threads == 2)
    }

    @Test func `rows, worst time and count are those of the shape`() throws {
        var log = XcodeLog()
        log.fetch(XcodeLog.authors, rows: 3, time: "0.0010")
        log.fetch(XcodeLog.authors, rows: 4, time: "0.0200")
        let report = try read(log)
        let shape = try #require(report.shapes.first)
        #expect(report.shapes.count == 1)
        #expect(shape.count == 2 && shape.rows == 7 && shape.line == 4)
        #expect(shape.nanoseconds == 21_000_000 && shape.worstNanoseconds == 20_000_000)
    }

    @Test func `a to-one relationship is named by its column`() throws {
        var log = XcodeLog()
        log.fetch("SELECT 0, t0.Z_PK, t0.ZTITLE, t0.ZAUTHOR FROM ZBOOK t0 ", rows: 9)
        for number in 1...9 { log.fault("Author", number, columns: "t0.ZNAME") }
        let report = try read(log)
        #expect(try finding(report, .missingPrefetch).keyPaths == ["author"])
        #expect(try finding(report, .nPlusOne).origin?.entity == "ZBOOK")
    }

    @Test func `faults of fetched objects ask for a batch size`() throws {
        var log = XcodeLog()
        log.fetch("SELECT 0, t0.Z_PK FROM ZAUTHOR t0 ", rows: 9)
        for number in 1...9 { log.fault("Author", number, columns: "t0.ZNAME") }
        let found = try finding(try read(log), .nPlusOne)
        #expect(found.code == "request.fetchBatchSize = 100")
        #expect(found.keyPaths.isEmpty)
    }

    @Test func `a fetch inside a loop is one chain`() throws {
        var log = XcodeLog()
        log.fetch(XcodeLog.authors, rows: 8)
        for _ in 1...8 {
            log.fetch("SELECT 0, t0.Z_PK, t0.ZTITLE FROM ZBOOK t0 WHERE  t0.ZAUTHOR = ? ", rows: 2)
        }
        let found = try finding(try read(log), .nPlusOne)
        #expect(found.statements == 8)
        #expect(found.code?.contains("IN %@") == true)
    }

    @Test func `an object that is read repeatedly is reported`() throws {
        var log = XcodeLog()
        for _ in 1...4 { log.fault("Author", 7, columns: "t0.ZNAME") }
        let found = try finding(try read(log), .repeatedFault)
        #expect(found.statements == 4)
        #expect(found.title.contains("Author"))
    }

    @Test func `equal fetches and large fetches are reported`() throws {
        var log = XcodeLog()
        for _ in 1...3 { log.fetch(XcodeLog.authors, rows: 5_000) }
        let report = try read(log)
        #expect(try finding(report, .repeatedFetch).statements == 3)
        let large = try finding(report, .unboundedFetch)
        #expect(large.code == "request.fetchBatchSize = 100")
        #expect(large.title.contains("5000 rows"))
    }

    @Test func `values and plans of higher levels are read`() throws {
        var log = XcodeLog()
        for value in ["a", "b", "a", "a"] {
            log.add("sql: SELECT 0, t0.Z_PK FROM ZTAG t0 WHERE  t0.ZWORD = ? ")
            log.add("details: SQLite bind[0] = \"\(value)\"")
            log.add("annotation: sql connection fetch time: 0.0001s")
            log.add(
                "annotation: fetch using NSSQLiteStatement <0x60> on entity 'Tag' with sql text "
                    + "'SELECT 0, t0.Z_PK FROM ZTAG t0 WHERE  t0.ZWORD = ? ' returned 1 rows "
                    + "with values: (\n    \"<Tag: 0x1> (entity: Tag; id: 0x1 "
                    + "<x-coredata://S/Tag/p1>; data: <fault>)\"\n)")
            log.add("annotation: total fetch execution time: 0.0002s for 1 rows.")
            log.add(
                "details: SQLite: EXPLAIN QUERY PLAN SELECT 0, t0.Z_PK FROM ZTAG t0 WHERE  "
                    + "t0.ZWORD = ? \n 2 0 0 SCAN TABLE ZTAG AS t0")
        }
        let report = try read(log)
        #expect(try finding(report, .repeatedFetch).statements == 3)
        #expect(report.shapes.map(\.entity) == ["Tag"])
        #expect(report.totals.otherLines == 0)
        let index = try finding(report, .missingIndex)
        #expect(index.plan == ["SCAN TABLE ZTAG AS t0"])
        #expect(index.advice.contains("ZWORD"))
    }
}
