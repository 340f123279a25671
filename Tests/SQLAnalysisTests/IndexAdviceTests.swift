import LabResults
import SQLAnalysis
import Testing

/// Tests of the advice about table scans. The advice is an index that changes the query plan, or
/// the reason why no index does.
@Suite struct IndexAdviceTests {
    private static let books = "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTITLE FROM ZBOOK t0"
    private static let authors = "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZAUTHOR t0"

    /// Query plans are known from a store, from a model, or only from the log.
    enum Source: CaseIterable { case store, model, log }

    /// The advice for a log with one SQL statement, which scans the table `alias`.
    private func missing(
        _ sql: String, _ source: Source = .store, scanning alias: String = "t0"
    ) throws -> [SQLFinding] {
        var log = XcodeLog()
        log.fetch(sql, rows: 2)
        var reader = SQLLogReader()
        switch source {
        case .store: try Shelf.with { try reader.use(store: $0.store, model: nil) }
        case .model: try Shelf.with { try reader.use(store: nil, model: $0.model) }
        case .log: log.add("details: SQLite: EXPLAIN QUERY PLAN \(sql)\n 2 0 0 SCAN \(alias)")
        }
        let report = try reader.read(
            [UInt8](log.lines.joined(separator: "\n").utf8), name: "console.txt")
        return report.findings.filter { $0.kind == .missingIndex }
    }

    private func advice(_ sql: String, _ source: Source = .store) throws -> String {
        try #require(try missing(sql, source).first).advice
    }

    @Test(arguments: [
        "SELECT TBL_NAME FROM SQLITE_MASTER WHERE TBL_NAME = 'Z_METADATA'",
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = ?",
        "SELECT 0, t0.Z_PK FROM ATRANSACTION t0 WHERE  t0.ZCONTEXTNAMETS = ? ",
    ])
    func `statements for the store's own tables do not count as missing indexes`(sql: String) throws
    {
        for source in Source.allCases { #expect(try missing(sql, source).isEmpty) }
    }

    @Test(arguments: [Source.store, .model])
    func `each side of an OR has an index, equality precedes a range, on store and model`(
        source: Source
    ) throws {
        #expect(
            try advice(Self.books + " WHERE ( t0.ZYEAR > ? OR  t0.ZPAGES < ?)", source)
                == "Add a fetch index for each side of the OR to the entity Book: "
                + "on year and on pages.")
        #expect(
            try advice(Self.books + " WHERE ( t0.ZYEAR > ? AND  t0.ZTITLE = ?)", source)
                == "Add a fetch index on title, year to the entity Book.")
        #expect(
            try advice(Self.books + " WHERE ( t0.ZYEAR > ? OR  t0.ZYEAR IS NULL)", source)
                == "Add a fetch index on year to the entity Book.")
        // The store already has indexes on the relationship and on the key.
        for side in ["t0.ZAUTHOR = ?", "t0.Z_PK IN (?,?)"] {
            #expect(
                try advice(Self.books + " WHERE ( t0.ZYEAR = ? OR \(side))", source)
                    == "Add a fetch index on year to the entity Book.")
        }
        #expect(
            try advice("UPDATE ZBOOK SET ZYEAR = ? WHERE ZTITLE = ?", source)
                == "Add a fetch index on title to the entity Book.")
        #expect(
            try advice(Self.books + " WHERE  t0.ZAUTHOR = ? ORDER BY t0.ZTITLE LIMIT 20", source)
                == "Add a fetch index on author, title to the entity Book.")
    }

    @Test func `without a store the same rules name columns`() throws {
        #expect(
            try advice(Self.books + " WHERE ( t0.ZYEAR > ? AND  t0.ZTITLE = ?)", .log)
                == "Add a fetch index on the attribute of column ZTITLE, "
                + "the attribute of column ZYEAR to the entity ZBOOK.")
        #expect(
            try advice(Self.books + " WHERE ( t0.ZYEAR = ? OR  t0.ZPAGES BETWEEN ? AND ?)", .log)
                .hasSuffix(
                    ": on the attribute of column ZYEAR and on the attribute of column ZPAGES."))
        // If one side of an OR has no index, SQLite scans the table in any case.
        let half = Self.books + " WHERE ( t0.ZYEAR = ? OR  t0.ZTITLE <> ?)"
        #expect(try advice(half, .log).hasPrefix("No index serves != or NOT"))
    }

    @Test func `the scanned table is reported, which may be another table of the join`() throws {
        let sql =
            "SELECT DISTINCT 0, t0.Z_PK, t0.ZNAME FROM ZAUTHOR t0 JOIN ZBOOK t1 "
            + "ON t0.Z_PK = t1.ZAUTHOR WHERE  t1.ZTITLE = ? "
        let found = try #require(try missing(sql).first)
        #expect(found.title == "A statement on Book scans the whole table of 600 rows")
        #expect(found.advice == "Add a fetch index on title to the entity Book.")
        let logged = try #require(try missing(sql, .log, scanning: "t1").first)
        #expect(logged.title == "A statement on ZBOOK scans the whole table")
        #expect(logged.advice.contains("ZTITLE"))
    }

    @Test(arguments: [
        (books + " WHERE  t0.ZTITLE <> ?", "!= or NOT"),
        (books + " WHERE NOT ( t0.ZYEAR IN (?, ?))", "!= or NOT"),
        (books + " WHERE  t0.ZYEAR IS NOT NULL", "!= or NOT"),
        (
            authors + " WHERE (SELECT COUNT(t1.Z_PK) FROM ZBOOK t1 WHERE (t0.Z_PK = t1.ZAUTHOR) )"
                + " > ? ", "the count or the sum of a relationship"
        ),
        (
            authors + " WHERE (SELECT COUNT(t1.Z_PK) FROM ZBOOK t1 WHERE (t0.Z_PK = t1.ZAUTHOR AND"
                + "  t1.ZYEAR = ?) ) > ? ", "the count or the sum of a SUBQUERY"
        ),
        (books + " WHERE  (t0.ZYEAR + ?) = ?", "a value that is computed"),
        (books + " WHERE  t0.ZYEAR = t0.ZPAGES", "a value that is computed"),
        (books + " WHERE  t0.ZTITLE COLLATE NSCollateNoCase = ?", "a comparison with [c]"),
        (
            books + " LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK "
                + "WHERE ( t1.ZNAME = ? OR  t0.ZTITLE = ?)", "an OR over attributes of several"
        ),
        (
            books + " ORDER BY t0.ZTITLE COLLATE NSCollateLocaleSensitive DESC LIMIT 9",
            "an order of texts by case or language"
        ),
        (
            books + " JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK ORDER BY t1.ZNAME LIMIT 9",
            "an order by values of other tables"
        ),
        (books + " WHERE NSCoreDataStringSearch( t0.ZTITLE, ?, 385, 0)", "a search inside texts"),
        (books + " WHERE NSCoreDataStringSearch( t0.ZTITLE, ?, 12, 0)", "a search inside texts"),
        (books + " WHERE NSCoreDataLike( t0.ZTITLE, ?, 0, 0)", "a search inside texts"),
    ])
    func `if no index helps, the report has the true reason`(sql: String, reason: String) throws {
        #expect(try advice(sql).hasPrefix("No index serves \(reason)"))
    }

    @Test func `a prefix is reported as a range, of a normalised copy if case is ignored`() throws {
        func finding(_ flags: Int) throws -> SQLFinding {
            let sql = Self.books + " WHERE NSCoreDataStringSearch( t0.ZTITLE, ?, \(flags), 0)"
            return try #require(try missing(sql).first)
        }
        let plain = try finding(8)
        #expect(plain.advice.contains("add a fetch index to title and write the prefix as a range"))
        #expect(
            plain.code
                == "request.predicate = NSPredicate(format: \"title >= %@ AND title < %@\", "
                + "prefix, end)")
        let folded = try finding(393)
        #expect(folded.advice.hasPrefix("No index serves BEGINSWITH[cd]"))
        #expect(folded.advice.contains("[.caseInsensitive, .diacriticInsensitive]"))
        #expect(folded.code?.contains("normalisedTitle >= %@") == true)
    }

    @Test func `the entity of a shared table does not count as a condition`() throws {
        #expect(try missing(Self.books + " WHERE  t0.Z_ENT = ? ").isEmpty)
    }

    @Test(arguments: ["(", "NOT (", "(SELECT 0 FROM ZBOOK t1 WHERE (", "(t0.ZYEAR = ? OR ("])
    func `unbalanced brackets do not hang the analysis`(part: String) throws {
        let sql = Self.books + " WHERE " + String(repeating: part, count: 1_000) + "t0.ZYEAR = ?"
        for text in [sql, sql + String(repeating: ")", count: 2_000)] {
            #expect(try missing(text, .log).count <= 1)
        }
    }
}
