import LabResults
import SQLAnalysis
import Testing

/// Tests that each kind of advice is given for a log with the defect, but not for a similar log.
@Suite struct AdviceTests {
    private func kinds(_ write: (inout LogScript) -> Void) throws -> [SQLFinding.Kind] {
        var script = LogScript()
        script.level = 2
        script.opening()
        write(&script)
        let report = try SQLLogReader().read(LogStyle.plain.bytes(script), name: "console.txt")
        return report.findings.map(\.kind)
    }

    private static let people = "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZPERSON t0"

    @Test func `a fetch of thousands of rows is reported, but not with a limit or in pages`() throws
    {
        let told = try kinds { $0.fetch(Self.people, of: "Person", rows: 5_000) }
        #expect(told == [.unboundedFetch])
        let limited = try kinds {
            $0.fetch(Self.people + " LIMIT 5000", of: "Person", rows: 5_000)
        }
        #expect(limited == [])
        #expect(try kinds { $0.batches() } == [])
        let few = try kinds { $0.fetch(Self.people, of: "Person", rows: 999) }
        #expect(few == [])
        let grouped = try kinds {
            $0.fetch(
                "SELECT t0.ZNAME, COUNT( t0.Z_PK) FROM ZPERSON t0 GROUP BY t0.ZNAME",
                of: "Person", rows: 5_000)
        }
        #expect(grouped == [])
    }

    @Test func `dictionaries without bounds are reported with a cure that works for them`() throws {
        var script = LogScript()
        script.fetch("SELECT t0.ZNAME, t0.ZAGE FROM ZPERSON t0", of: "Person", rows: 20_000)
        let report = try SQLLogReader().read(LogStyle.plain.bytes(script), name: "console.txt")
        let finding = try #require(report.findings.first)
        #expect(finding.kind == .unboundedFetch)
        #expect(finding.code == "request.fetchLimit = 100")
        #expect(finding.advice.hasPrefix("A batch size does nothing for dictionaries"))
    }

    @Test
    func `a chain is reported with its prefetch, but not if prefetched, in one fetch or single`()
        throws
    {
        let told = try kinds { $0.chain(authors: 6) }
        #expect(told == [.missingPrefetch, .nPlusOne, .nPlusOne])
        #expect(try kinds { $0.prefetches() } == [])
        #expect(try kinds { $0.chain(authors: 4) } == [])
    }

    @Test func `a fetch in a loop is reported, one fetch for all objects and pages are not`() throws
    {
        func loop(_ script: inout LogScript, _ sql: (Int) -> String, rows: Int) {
            script.fetch(LogScript.authors, of: "Author", rows: 9)
            for number in 1...9 {
                script.fetch(
                    sql(number), of: "Book", values: ["(int64)\(number)"], rows: rows)
            }
        }
        let told = try kinds {
            loop(
                &$0, { _ in "SELECT 0, t0.Z_PK, t0.ZTITLE FROM ZBOOK t0 WHERE  t0.ZAUTHOR = ? " },
                rows: 2)
        }
        #expect(told == [.nPlusOne])
        let pages = try kinds {
            loop(
                &$0,
                { _ in
                    "SELECT 0, t0.Z_PK, t0.ZTITLE FROM ZBOOK t0 WHERE  t0.Z_PK IN  (?,?,?)  LIMIT 3"
                }, rows: 3)
        }
        #expect(pages == [])
        // Each save reserves new keys for the entities of inserted objects.
        let keys = try kinds { script in
            script.fetch(LogScript.authors, of: "Author", rows: 9)
            for _ in 1...9 { script.bare("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?") }
        }
        #expect(keys == [])
    }

    @Test func `an object that is read again is reported, different objects are not`() throws {
        let told = try kinds { script in
            for _ in 1...4 { script.fault("Author", 7, columns: "t0.ZNAME") }
        }
        #expect(told == [.repeatedFault])
        let clean = try kinds { script in
            for key in 1...4 { script.fault("Author", key, columns: "t0.ZNAME") }
        }
        #expect(clean == [])
    }

    @Test func `a fetch with equal values is reported, but not with others or after a change`()
        throws
    {
        let sql = "SELECT 0, t0.Z_PK, t0.ZTITLE FROM ZBOOK t0 WHERE  t0.ZPAGES > ? "
        func run(_ values: [String], _ between: (inout LogScript) -> Void = { _ in }) throws
            -> [SQLFinding.Kind]
        {
            try kinds { script in
                for value in values {
                    script.fetch(sql, of: "Book", values: [value], rows: 2)
                    between(&script)
                }
            }
        }
        #expect(try run(["1", "1", "1"]) == [.repeatedFetch])
        #expect(try run(["1", "2", "3"]) == [])
        #expect(try run(["1", "1", "1"]) { $0.saves() } == [])
        // The save with a conflict does not write a row that this fetch reads.
        #expect(try run(["1", "1", "1"]) { $0.conflict() }.contains(.repeatedFetch))
    }

    @Test func `a list of thousands is reported, short lists and those of Core Data are not`()
        throws
    {
        func list(_ column: String, _ count: Int) -> String {
            let values = Array(repeating: "?", count: count).joined(separator: ",")
            return
                "SELECT 0, t0.Z_PK, t0.ZNAME FROM ZPERSON t0 WHERE  t0.\(column) IN  (\(values)) "
        }
        let told = try kinds { $0.fetch(list("ZNAME", 2_000), of: "Person", rows: 3) }
        #expect(told == [.largeList])
        #expect(try kinds { $0.fetch(list("ZNAME", 20), of: "Person", rows: 3) } == [])
        let prefetch = try kinds { script in
            script.fetch(LogScript.authors, of: "Author", rows: 12) {
                $0.prefetch("person", list("Z_PK", 2_000), of: "Person", rows: 900)
            }
        }
        #expect(prefetch == [])
        let toMany = try kinds { script in
            script.fetch(LogScript.authors, of: "Author", rows: 12) {
                $0.prefetch("friends", list("ZAUTHOR", 2_000), of: "Person", rows: 900)
            }
        }
        #expect(toMany == [])
    }

    @Test func `keys that the app does not read are reported, keys whose objects are read are not`()
        throws
    {
        let sql = "SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE  t0.ZPAGES > ? "
        let told = try kinds { script in
            for value in 1...3 {
                script.fetch(sql, of: "Book", values: ["\(value)"], rows: 4_000)
            }
        }
        #expect(told == [.countByFetch])
        let read = try kinds { script in
            for value in 1...3 {
                script.fetch(sql, of: "Book", values: ["\(value)"], rows: 4_000)
                script.fault("Book", value, columns: "t0.ZTITLE")
            }
        }
        #expect(read == [])
    }

    @Test func `saves of one row each are reported, one save of many and those of history are not`()
        throws
    {
        func saves(_ count: Int, _ rows: Int, history: Bool = false) throws -> [SQLFinding.Kind] {
            try kinds { script in
                for _ in 0..<count {
                    script.save { script in
                        for _ in 0..<rows {
                            script.write("UPDATE OR FAIL ZBOOK SET ZTITLE = ? WHERE Z_PK = ?")
                        }
                        if history { script.write("INSERT INTO ACHANGE(Z_PK) VALUES(?)") }
                    }
                }
            }
        }
        #expect(try saves(25, 1) == [.smallTransactions])
        #expect(try saves(25, 1, history: true) == [.smallTransactions])
        #expect(try saves(25, 3) == [])
        #expect(try saves(25, 0, history: true) == [])
    }

    @Test func `a scan is reported with its index, a search with one and a small table are not`()
        throws
    {
        func plan(_ detail: String) throws -> [SQLFinding.Kind] {
            let sql = "SELECT 0, t0.Z_PK FROM ZTAG t0 WHERE  t0.ZWORD = ? "
            return try kinds {
                $0.fetch(sql, of: "Tag", values: ["\"a\""], rows: 1)
                $0.add("details: SQLite: EXPLAIN QUERY PLAN \(sql)\n 2 0 0 \(detail)")
            }
        }
        #expect(try plan("SCAN t0") == [.missingIndex])
        #expect(try plan("SCAN TABLE ZTAG AS t0") == [.missingIndex])
        #expect(try plan("SEARCH t0 USING INDEX ZTAG_ZWORD (ZWORD=?)") == [])
        #expect(try plan("SCAN t0 USING COVERING INDEX ZTAG_ZWORD") == [])
    }
}
