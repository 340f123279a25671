import LabResults
import SQLAnalysis
import Testing

/// Pages, wikis, editors and the app put characters around an entry, which the reader ignores. It
/// keeps the same characters if they belong to a value.
@Suite struct DecorationTests {
    private func read(_ text: String) throws -> SQLReport {
        try SQLLogReader().read(Array(text.utf8), name: "console.txt")
    }

    private func shapes(_ text: String) throws -> [String] { try read(text).shapes.map(\.text) }

    private static let books = "SELECT 0, t0.Z_PK, t0.ZTITLE FROM ZBOOK t0 WHERE  t0.ZTITLE = ? "

    // MARK: Values

    private static let values = [
        #""a\_b""#, #""a_b""#, #""ab""#, #""{{x}}""#, #""{{x""#, #""x""#, #""a|b""#, #""a""#,
        #""*abc*""#, #""abc""#, #""a\\""#, #""`q`""#, #""{color}""#, #""it's""#, #""5;""#,
        #""[/code]""#,
    ]

    private func fetches(_ values: [String]) -> LogScript {
        var script = LogScript()
        script.level = 2
        for value in values { script.fetch(Self.books, of: "Book", values: [value], rows: 2) }
        return script
    }

    @Test(arguments: LogStyle.allCases)
    func `values that differ only in decorative characters stay different`(style: LogStyle) throws {
        let different = style.bytes(fetches(Self.values))
        let report = try SQLLogReader().read(different, name: "console.txt")
        #expect(report.findings.filter { $0.kind == .repeatedFetch } == [])
        #expect(report.shapes.map(\.count) == [Self.values.count])
        for value in Self.values {
            let equal = style.bytes(fetches(Array(repeating: value, count: 3)))
            let told = try SQLLogReader().read(equal, name: "console.txt").findings
            #expect(told.map(\.kind) == [.repeatedFetch], "\(value)")
        }
    }

    private static let signed: [String] = [
        "'*abc*'", "'{{x}}'", "'a|b'", "'| a |'", #"'a\_b' ESCAPE '\'"#, "'a;b;'", "'`x`'",
        "'{color}'", "t0.ZNAME || '|'",
    ]

    @Test(arguments: signed)
    func `a statement that contains decorative characters is complete in every form`(value: String)
        throws
    {
        let sql = "SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE  t0.ZNAME LIKE \(value) LIMIT 5"
        let plain = try shapes("CoreData: sql: \(sql)\n")
        #expect(plain.first?.hasSuffix("LIMIT ?") == true)
        for style in LogStyle.allCases where ![.wide16, .wrapped].contains(style) {
            var script = LogScript()
            script.fetch(sql, of: "Book", rows: 3)
            let report = try read(style.text(script))
            #expect(report.shapes.map(\.text) == plain, "\(style)")
            #expect(report.totals.truncated == 0, "\(style)")
        }
    }

    @Test func `backslashes in values are not read as Markdown's escapes`() throws {
        let text = """
            CoreData: sql: SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE  t0.ZNAME LIKE ? ESCAPE '\\'
            CoreData: details: SQLite bind[0] = "a.Z\\_b (\\*)"
            CoreData: annotation: total fetch execution time: 0.0006s for 3 rows.

            """
        #expect(
            try shapes(text) == [
                "SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE t0.ZNAME LIKE ? ESCAPE ?"
            ])
    }

    @Test func `a log that is Markdown only in part keeps its other part`() throws {
        let text = """
            CoreData: sql: SELECT 0, t0.Z\\_PK FROM ZBOOK t0
            CoreData: sql: SELECT COUNT(\\*) FROM ZBOOK t0
            CoreData: sql: SELECT 0, t0.Z_PK FROM ZBOOK t0

            """
        let report = try read(text)
        #expect(report.shapes.map(\.count) == [2, 1])
        #expect(
            report.shapes.map(\.text) == [
                "SELECT 0, t0.Z_PK FROM ZBOOK t0", "SELECT COUNT(*) FROM ZBOOK t0",
            ])
    }

    // MARK: Other forms

    private static let frames: [(String, String)] = [
        ("> ", ""), ("- ", ""), ("* ", ""), ("12. ", ""), ("+", ""), (": ", ""), ("  | ", ""),
        ("| 1 | ", " | main |"), ("|", "|main|"), ("||", "||"), ("=", "="), ("~", "~"),
        ("_", "_"), ("~~", "~~"), ("`", "`"), ("`` ", " ``"), ("| `", "` |"), ("* *", "*"),
        ("(", ")"), ("[", "]"), ("{", "}"), ("\\texttt{", "}"), ("{code}", "{code}"),
        ("{color:red}*", "*{color}"), ("[b]", "[/b]"), ("<li>", "</li>"), ("\"", "\""),
        ("    '", "',"), ("['", "']"), ("print('", "')"), ("7;", ";main"), ("7;\"", "\";\"x\""),
        ("\u{1B}[32m| ", " |\u{1B}[0m"), ("", "\\par"), ("", " \\"), ("", "  "), ("", "\\\\"),
        ("", "{noformat}"), ("", "```"), ("", "~~~"), ("", "</code></pre>"), ("", ";;"),
    ]

    @Test(arguments: frames)
    func `decoration around an entry is not part of it`(before: String, after: String) throws {
        let sql = "SELECT t0.Z_PK FROM ZBOOK t0 WHERE  t0.ZTITLE = ?"
        let lines = [
            "sql: BEGIN EXCLUSIVE", "sql: \(sql)",
            "annotation: sql connection fetch time: 0.0004s",
            "annotation: fetch using NSSQLiteStatement <0x6> on entity 'Book' with sql text "
                + "'\(sql)' returned 3 rows",
            "annotation: total fetch execution time: 0.0006s for 3 rows.", "sql: COMMIT",
        ]
        let report = try read(lines.map { "\(before)CoreData: \($0)\(after)\n" }.joined())
        #expect(
            report.shapes.map(\.text) == [
                "SELECT t0.Z_PK FROM ZBOOK t0 WHERE t0.ZTITLE = ?", "BEGIN EXCLUSIVE", "COMMIT",
            ])
        #expect(report.totals.rows == 3)
        #expect(report.totals.truncated == 0)
    }

    // MARK: What the app prints

    private static let prints: [String] = [
        "END", "???", "NULL", ", ", ")", "reload()", "viewDidAppear()", "AND", "NOT", "FAIL",
        "VIEW", "(1, 2)", "* item", "-1", ", 5", "= 5 items", "[]", "Z", "ZNAME", "OK", "12",
        "WHERE", "nil", "Optional(\"a\")", "|", "{", "}", "t0", "IN (1, 2))", "saveContext() END",
    ]

    @Test(arguments: prints)
    func `output that the app prints after a whole statement is not part of it`(line: String) throws
    {
        let statements = [
            "BEGIN EXCLUSIVE", "INSERT INTO ZBOOK(Z_PK, ZTITLE) VALUES(?, ?)",
            "UPDATE OR FAIL ZBOOK SET ZTITLE = ?, Z_OPT = ?  WHERE Z_PK = ? AND Z_OPT = ?",
            "DELETE FROM ZBOOK WHERE Z_PK = ?", "COMMIT", "ROLLBACK", Self.books,
            "SELECT 0, t0.Z_PK FROM ZBOOK t0 ORDER BY t0.ZTITLE DESC LIMIT 5",
            "SELECT COUNT(*) FROM ZBOOK t0", "pragma journal_mode=wal",
            "ALTER TABLE ZBOOK ADD COLUMN ZISBN VARCHAR", "DROP TABLE ZOLD",
            "CREATE INDEX ZBOOK_ZTITLE ON ZBOOK (ZTITLE)",
        ]
        let alone = try shapes(statements.map { "CoreData: sql: \($0)\n" }.joined())
        let noisy = try read(statements.map { "CoreData: sql: \($0)\n\(line)\n" }.joined())
        #expect(noisy.shapes.map(\.text) == alone)
        #expect(noisy.totals.truncated == 0)
        #expect(noisy.totals.otherLines == statements.count)
    }

    @Test func `the app's output after equal statements is not taken for their continuation`()
        throws
    {
        let fault = "CoreData: sql: SELECT 0, t0.Z_PK, t0.ZNAME FROM ZTAG t0 WHERE  t0.Z_PK = ? "
        let text = (1...8).map { "\(fault)\nconfigured cell \($0)\n" }.joined()
        let report = try read(text)
        #expect(report.shapes.map(\.count) == [8])
        #expect(report.totals.otherLines == 8)
    }

    private static let breaks: [(String, String)] = [
        ("SELECT 0, t0.Z_PK FROM ZBOOK t0", "WHERE  t0.ZTITLE = ?"),
        ("SELECT 0, t0.Z_PK FROM ZBOOK", "t0 WHERE  t0.ZTITLE = ?"),
        ("SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE  t0.ZTITLE", "= 'a b'"),
        ("SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE  t0.ZA = ?", "AND t0.ZB = ?"),
        ("SELECT 0, t0.Z_PK FROM ZBOOK t0 ORDER BY t0.ZA", "DESC"),
        ("SELECT 0, t0.Z_PK FROM ZBOOK t0 ORDER BY t0.ZA", "COLLATE NSCollateNoCase ASC"),
        ("SELECT 0, t0.Z_PK FROM ZBOOK t0 ORDER BY t0.ZA", ", t0.ZB"),
        ("SELECT 0, t0.Z_PK FROM ZBOOK t0", "LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZA = t1.Z_PK"),
        ("SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE (", "t0.ZA = ? AND NSCoreDataMatches( t0.ZB, ?))"),
        ("SELECT TBL_NAME FROM SQLITE_MASTER", "WHERE TBL_NAME = 'Z_MODELCACHE'"),
        ("BEGIN", "EXCLUSIVE"), ("DELETE FROM ZBOOK", "WHERE Z_PK = ?"), ("DELETE FROM", "ZBOOK"),
        ("UPDATE OR FAIL ZBOOK SET ZTITLE = ?", ", Z_OPT = ? WHERE Z_PK = ?"),
        ("UPDATE ZBOOK SET ZA = CASE", "WHEN ZB THEN 1 ELSE 2 END"),
        ("INSERT INTO ZBOOK(Z_PK) VALUES (1)", ", (2)"), ("CREATE INDEX ZA_ZB ON ZA", "(ZB)"),
        ("ALTER TABLE ZBOOK", "ADD COLUMN ZISBN VARCHAR"),
        ("ALTER TABLE ZBOOK ADD COLUMN ZISBN", "VARCHAR"),
    ]

    @Test(arguments: breaks)
    func `a statement that a page broke at a space is joined`(first: String, rest: String) throws {
        let whole = try shapes("CoreData: sql: \(first) \(rest)\n")
        let broken = try read("CoreData: sql: \(first)\n\(rest)\nCoreData: sql: COMMIT\n")
        #expect(broken.shapes.map(\.text) == whole + ["COMMIT"])
        #expect(broken.totals.truncated == 0)
    }

    @Test func `a value with a line feed is read as one value`() throws {
        let text = """
            CoreData: sql: SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE  t0.ZTITLE = 'first
            second (and) more' LIMIT 5
            CoreData: sql: COMMIT

            """
        #expect(
            try shapes(text) == [
                "SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE t0.ZTITLE = ? LIMIT ?", "COMMIT",
            ])
    }

    @Test func `a constant at the head of a list is in the shape as in the log`() throws {
        let text = """
            CoreData: sql: SELECT 1, t0.Z_PK FROM ATRANSACTION t0 WHERE  t0.Z_PK > 5
            CoreData: sql: SELECT 0, t0.Z_PK FROM ATRANSACTION t0 WHERE  t0.Z_PK > 5
            CoreData: sql: SELECT DISTINCT 0, t0.Z_PK FROM ZBOOK t0

            """
        #expect(
            try shapes(text) == [
                "SELECT 1, t0.Z_PK FROM ATRANSACTION t0 WHERE t0.Z_PK > ?",
                "SELECT 0, t0.Z_PK FROM ATRANSACTION t0 WHERE t0.Z_PK > ?",
                "SELECT DISTINCT 0, t0.Z_PK FROM ZBOOK t0",
            ])
    }

    // MARK: Clocks

    private func span(_ stamps: [String]) throws -> UInt64? {
        let lines = stamps.map { "\($0) CoreData: sql: COMMIT\n" }
        return try read(lines.joined()).totals.spanNanoseconds.map { $0 / 1_000_000_000 }
    }

    private static let clocks: [([String], UInt64)] = [
        (["23:59:58.000", "00:00:02.000"], 4),
        (["10:00:00", "23:00:00", "09:00:00", "22:00:00", "08:00:00"], 46 * 3_600),
        // Lines of different threads may be slightly out of order.
        (["10:00:05", "10:00:01", "10:00:03"], 4),
        (["23:59:58", "00:00:01", "23:59:59", "00:00:03"], 5),
        (["00:00:01", "23:59:59"], 86_398),
        (["5/1/24, 11:59:59 PM", "5/2/24, 12:00:01 AM", "5/2/24, 01:00:01 AM"], 3_602),
        (["12:59:59 PM", "01:00:01 PM"], 2),
        (["Dec 31 23:59:58", "Jan  1 00:00:02"], 4),
        (["2024-05-01 23:59:58", "2024-05-02 00:00:02"], 4),
    ]

    @Test(arguments: clocks)
    func `the duration of a log that runs past midnight is right`(
        stamps: [String], seconds: UInt64
    ) throws {
        #expect(try span(stamps) == seconds)
    }
}
