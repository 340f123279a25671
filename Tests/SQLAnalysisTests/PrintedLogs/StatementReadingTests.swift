import LabResults
import SQLAnalysis
import Testing

/// The text of a statement shows facts about its rows.
@Suite struct StatementReadingTests {
    private func report(_ write: (inout LogScript) -> Void) throws -> SQLReport {
        var script = LogScript()
        write(&script)
        return try SQLLogReader().read(LogStyle.plain.bytes(script), name: "console.txt")
    }

    @Test func `a name with LIMIT in it limits nothing`() throws {
        let report = try report {
            $0.fetch(
                "SELECT 0, t0.Z_PK, t0.ZLIMIT2 FROM ZPLAN t0 WHERE  t0.ZLIMIT2 > ? LIMIT 20",
                of: "Plan", rows: 10)
        }
        #expect(report.totals.rows == 10)
        #expect(!report.notes.contains { $0.contains("left out") })
    }

    @Test func `the limit of a subquery is not that of the outer statement`() throws {
        let report = try report {
            $0.fetch(
                "SELECT 0, t0.Z_PK, t0.ZNAME FROM ZITEM t0 WHERE  t0.ZNAME IN (SELECT t1.ZNAME "
                    + "FROM ZTAG t1 LIMIT 3) ", of: "Item", rows: 50)
        }
        #expect(report.totals.rows == 50)
    }

    @Test(arguments: [
        "WHERE NOT ( t0.Z_PK IN (SELECT t1.Z_PK FROM ZTAG t1 WHERE t1.ZKIND IN (?,?)))",
        "WHERE t0.Z_PK IN (SELECT t1.ZITEM FROM ZTAG t1 WHERE t1.ZKIND = ?)",
        "WHERE NOT ( t0.Z_PK IN (?,?))", "LIMIT -1 OFFSET 5",
        ", ZTAG t1 WHERE t1.ZITEM = t0.Z_PK",
    ])
    func `thousands of rows are reported if no list of keys and no limit bounds them`(
        end: String
    ) throws {
        let report = try report {
            $0.fetch(
                "SELECT 0, t0.Z_PK, t0.ZNAME FROM ZITEM t0 \(end)", of: "Item", rows: 50_000)
        }
        #expect(report.totals.rows == 50_000)
        #expect(report.findings.map(\.kind) == [.unboundedFetch])
    }

    @Test func `the table of a statement is not that of its subquery`() throws {
        let report = try report {
            $0.fetch(
                "SELECT t0.ZNAME, (SELECT COUNT(t1.Z_PK) FROM ZATTACHMENT t1 WHERE (t0.Z_PK = "
                    + "t1.ZITEM) ) FROM ZITEM t0 WHERE  t0.ZKIND = ? ", of: "Item", rows: 5)
        }
        #expect(report.shapes.map(\.entity) == ["ZITEM"])
    }

    @Test func `a comparison of two logs of equal statements shows which of them became slow`()
        throws
    {
        func log(tenths: Int) throws -> SQLReport {
            try report { script in
                script.fetch(LogScript.authors, of: "Author", rows: 12, tenths: tenths)
                script.fetch("SELECT 0, t0.Z_PK, t0.ZWORD FROM ZTAG t0", of: "Tag", rows: 3)
            }
        }
        var slow = try log(tenths: 5_000)
        slow.compare(with: try log(tenths: 20))
        let changes = try #require(slow.comparison?.changes)
        #expect(changes.map(\.text) == [slow.shapes[0].text])
        #expect(changes[0].before == 1 && changes[0].after == 1)
        #expect(changes[0].nanosecondsBefore == 2_000_000)
        #expect(changes[0].nanosecondsAfter == 500_000_000)
        var same = try log(tenths: 25)
        same.compare(with: try log(tenths: 20))
        #expect(same.comparison?.changes == [])
    }
}
