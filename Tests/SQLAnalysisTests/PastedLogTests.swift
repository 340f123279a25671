import LabResults
import SQLAnalysis
import Testing

/// Logs as people paste them: lines are missing, lost their beginnings or are in tables.
@Suite struct PastedLogTests {
    private func read(_ text: String) throws -> SQLReport {
        try SQLLogReader().read([UInt8](text.utf8), name: "pasted.txt")
    }

    @Test(arguments: ["oreData: sql:", "Data: sql:", "a: sql:", "ql:"])
    func `a statement whose first letters are missing is read`(beginning: String) throws {
        let report = try read(
            """
             CoreData: sql: SELECT COUNT(*) FROM ZSHELF
             \(beginning) SELECT total( t0.ZPAGES) FROM ZSHELF t0
             CoreData: annotation: sql connection fetch time: 0.0002s
             a: annotation: total fetch execution time: 0.0003s for 1 rows.
            """)
        #expect(
            report.shapes.map(\.text) == [
                "SELECT total(t0.ZPAGES) FROM ZSHELF t0", "SELECT COUNT(*) FROM ZSHELF",
            ])
        #expect(report.shapes.first?.nanoseconds == 200_000)
    }

    @Test func `text that only ends like a mark is not a statement`() throws {
        let report = try read("CoreData: sql: COMMIT\nmy own sql: SELECT 1 FROM ZSHELF\n")
        #expect(report.shapes.map(\.text) == ["COMMIT"])
    }

    @Test func `a query plan without its statement is a statement`() throws {
        let plan = """
            CoreData: details: SQLite: EXPLAIN QUERY PLAN SELECT 0, t0.Z_PK FROM ZLOAN t0 WHERE \
            t0.ZDUE <> ? ORDER BY t0.ZDUE
            \t4 0 0 SCAN TABLE ZLOAN AS t0
            \t21 0 0 USE TEMP B-TREE FOR ORDER BY

            """
        let report = try read(plan)
        #expect(report.totals.statements == 1)
        let text = "SELECT 0, t0.Z_PK FROM ZLOAN t0 WHERE t0.ZDUE <> ? ORDER BY t0.ZDUE"
        #expect(report.shapes.map(\.text) == [text])
        // A plan below its statement is not a second statement.
        let both = try read("CoreData: sql: \(text)\n" + plan)
        #expect(both.totals.statements == 1)
    }

    @Test func `a bar that closes a table's row is not a part of a statement`() throws {
        let report = try read(
            """
            2 and above
            |
            CoreData: sql: SELECT 0, t0.Z_PK FROM ZSHELF t0 WHERE t0.ZPAGES > ? |
            2 and above | CoreData: annotation: sql connection fetch time: 0.1000s. |
            """)
        #expect(
            report.shapes.map(\.text) == ["SELECT 0, t0.Z_PK FROM ZSHELF t0 WHERE t0.ZPAGES > ?"])
        #expect(report.totals.truncated == 0)
        let joined = try read("CoreData: sql: SELECT t0.ZA || ? FROM ZSHELF t0\n")
        #expect(joined.shapes.map(\.text) == ["SELECT t0.ZA || ? FROM ZSHELF t0"])
    }

    @Test(arguments: ["…", "...", "[...]"])
    func `a statement with omitted columns goes on in the next line`(mark: String) throws {
        for beginning in ["", mark + " "] {
            let next = beginning + "FROM ZSHELF t0 WHERE t0.ZROOM = ?"
            let report = try read(
                "CoreData: sql: SELECT 0, t0.Z_PK, \(mark)\n\(next)\n"
                    + "CoreData: annotation: sql connection fetch time: 0.0010s\n")
            #expect(
                report.shapes.map(\.text)
                    == ["SELECT 0, t0.Z_PK FROM ZSHELF t0 WHERE t0.ZROOM = ?"])
            #expect(report.totals.truncated == 0)
        }
    }
}
