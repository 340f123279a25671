/// The SQL statements of a simulated app, and the lines that Core Data logs for them. The reports
/// about all forms of the log are compared with it.
struct LogScript {
    /// A line as Core Data writes it, without the prefix of a console.
    struct Line {
        var text: String
        var thread: Int
    }

    struct Run {
        var sql: String
        var rows: Int?
        /// The time in the log, in tenths of a millisecond.
        var tenths: Int?
    }

    private(set) var lines: [Line] = []
    private(set) var runs: [Run] = []
    /// From 1 to 3.
    var level = 1
    var thread = 1

    static let store = "x-coredata://8C0B2E5E-7A1F-4D54-9C8B-5F7B1D0A1E11"

    // MARK: Entries

    mutating func add(_ text: String) { lines.append(Line(text: text, thread: thread)) }

    private mutating func statement(_ sql: String, values: [String], rows: Int?, tenths: Int?) {
        add("sql: \(sql)")
        runs.append(Run(sql: sql, rows: rows, tenths: tenths))
        guard level >= 2 else { return }
        for (index, value) in values.enumerated() {
            add("details: SQLite bind[\(index)] = \(value)")
        }
    }

    static func seconds(_ tenths: Int) -> String {
        "\(tenths / 10_000)." + String(String(10_000 + tenths % 10_000).dropFirst()) + "s"
    }

    // MARK: Blocks

    /// Adds a statement for which Core Data prints no further line.
    mutating func bare(_ sql: String) { statement(sql, values: [], rows: nil, tenths: nil) }

    /// The first lines of every log.
    mutating func opening() {
        add("annotation: Connecting to sqlite database file at \"/var/mobile/Library.sqlite\"")
        bare("pragma recursive_triggers=1")
        bare("pragma journal_mode=wal")
        bare("SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA")
        bare("SELECT TBL_NAME FROM SQLITE_MASTER WHERE TBL_NAME = 'Z_MODELCACHE'")
    }

    /// The lines of prefetches are between the line with the time of the fetch and the line with
    /// its total.
    mutating func fetch(
        _ sql: String, of entity: String, values: [String] = [], rows: Int, tenths: Int = 4,
        prefetching inner: (inout LogScript) -> Void = { _ in }
    ) {
        statement(sql, values: values, rows: rows, tenths: tenths)
        add("annotation: sql connection fetch time: \(Self.seconds(tenths))")
        inner(&self)
        if level >= 2 {
            var text =
                "annotation: fetch using NSSQLiteStatement <0x600000c04d20> on entity '\(entity)' "
                + "with sql text '\(sql)' returned \(rows) rows"
            if level >= 3 {
                let ids = (0..<min(rows, 3)).map {
                    "    \"<\(entity): 0x60000\($0)> (entity: \(entity); id: 0x9\($0) "
                        + "<\(Self.store)/\(entity)/p\($0)>; data: <fault>)\""
                }
                text += " with values: (\n\(ids.joined(separator: ",\n"))\n)"
            }
            add(text)
        }
        add(
            "annotation: total fetch execution time: \(Self.seconds(tenths + 3)) for \(rows) rows.")
    }

    mutating func prefetch(
        _ path: String, _ sql: String, of entity: String, rows: Int, tenths: Int = 2
    ) {
        add("annotation: Bound intarray values.")
        fetch(sql, of: entity, rows: rows, tenths: tenths)
        add("annotation: Prefetching with key '\(path)'.  Got \(rows) rows.")
    }

    mutating func count(
        _ sql: String, values: [String] = [], gives count: Int, tenths: Int = 3
    ) {
        statement(sql, values: values, rows: 1, tenths: tenths)
        add("annotation: sql connection fetch time: \(Self.seconds(tenths))")
        let time = Self.seconds(tenths + 2)
        add("annotation: total count request execution time: \(time) for count of \(count).")
    }

    mutating func fault(_ entity: String, _ key: Int, columns: String, tenths: Int = 3) {
        fetch(
            "SELECT 0, t0.Z_PK, t0.Z_OPT, \(columns) FROM Z\(entity.uppercased()) t0 "
                + "WHERE  t0.Z_PK = ? ", of: entity, values: ["(int64)\(key)"], rows: 1,
            tenths: tenths)
        add(
            "annotation: fault fulfilled from database for : 0xd0000\(key) "
                + "<\(Self.store)/\(entity)/p\(key)>")
    }

    mutating func toMany(
        _ name: String, of entity: String, _ key: Int, _ sql: String, to other: String, rows: Int,
        tenths: Int = 5
    ) {
        fetch(sql, of: other, values: ["(int64)\(key)"], rows: rows, tenths: tenths)
        add(
            "annotation: to-many relationship fault \"\(name)\" for objectID 0xd0000\(key) "
                + "<\(Self.store)/\(entity)/p\(key)> fulfilled from database.  Got \(rows) rows")
    }

    mutating func write(_ sql: String, values: [String] = [], tenths: Int = 2) {
        statement(sql, values: values, rows: nil, tenths: tenths)
        add("annotation: sql execution time: \(Self.seconds(tenths))")
    }

    mutating func save(_ body: (inout LogScript) -> Void) {
        bare("BEGIN EXCLUSIVE")
        body(&self)
        bare("COMMIT")
    }
}

// MARK: - What the blocks say

extension LogScript {
    static let authors =
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZBIRTH, t0.ZNAME FROM ZAUTHOR t0 ORDER BY t0.ZNAME"
    static let booksOfAuthor =
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZPAGES, t0.ZTITLE, t0.ZAUTHOR, t0.ZPUBLISHER FROM ZBOOK "
        + "t0 WHERE  t0.ZAUTHOR = ? "

    /// Faults of the books of each author, and of the publisher of each book.
    mutating func chain(authors count: Int = 6) {
        fetch(Self.authors, of: "Author", rows: count, tenths: 8)
        for author in 1...count {
            toMany("books", of: "Author", author, Self.booksOfAuthor, to: "Book", rows: author % 3)
            fault("Publisher", author, columns: "t0.ZCITY, t0.ZNAME")
        }
    }

    /// Adds a fetch of keys, followed by reads of pages of objects.
    mutating func batches() {
        fetch(
            "SELECT 0, t0.Z_PK FROM ZTAG t0 ORDER BY t0.ZWORD", of: "Tag", rows: 1_500,
            tenths: 31)
        for page in 0..<6 {
            add("annotation: Bound intarray _Z_intarray0")
            add("annotation: Bound intarray values.")
            fetch(
                "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZWORD FROM ZTAG t0 WHERE  t0.Z_PK IN SELECT * "
                    + "FROM _Z_intarray0  LIMIT 20", of: "Tag", rows: 20, tenths: 2 + page)
        }
    }

    /// A fetch with two prefetches. One of them uses a join table.
    mutating func prefetches() {
        fetch(
            "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTITLE, t0.ZAUTHOR FROM ZBOOK t0 WHERE  t0.ZPAGES > "
                + "? ", of: "Book", values: ["(int64)100"], rows: 57, tenths: 12
        ) { script in
            script.prefetch(
                "author",
                "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZBIRTH, t0.ZNAME FROM ZAUTHOR t0 WHERE  t0.Z_PK "
                    + "IN SELECT * FROM _Z_intarray0  ", of: "Author", rows: 9)
            script.add("annotation: Bound intarray values.")
            script.fetch(
                "SELECT t0.Z_2TAGS, t0.Z_1BOOKS FROM Z_1TAGS t0 WHERE  t0.Z_1BOOKS IN SELECT * "
                    + "FROM _Z_intarray0  ", of: "Book", rows: 131, tenths: 3)
            script.prefetch(
                "tags",
                "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZWORD FROM ZTAG t0 WHERE  t0.Z_PK IN SELECT * "
                    + "FROM _Z_intarray1  ", of: "Tag", rows: 23)
        }
    }

    mutating func counts() {
        count("SELECT COUNT(*) FROM ZBOOK t0", gives: 190)
        count("SELECT COUNT( DISTINCT t0.Z_PK) FROM ZBOOK t0 WHERE  t0.ZPAGES > 5", gives: 0)
    }

    mutating func aggregates() {
        fetch(
            "SELECT t0.ZAUTHOR, COUNT( t0.Z_PK), MAX( t0.ZPAGES) FROM ZBOOK t0 GROUP BY "
                + "t0.ZAUTHOR", of: "Book", rows: 12, tenths: 9)
        fetch(
            "SELECT 0, t0.Z_PK FROM ZAUTHOR t0 WHERE (SELECT COUNT(t1.Z_PK) FROM ZBOOK t1 WHERE "
                + "(t0.Z_PK = t1.ZAUTHOR) ) > ?", of: "Author", values: ["(int64)3"], rows: 4)
        fetch("SELECT t0.ZCOUNT FROM ZSHELF t0", of: "Shelf", rows: 7)
    }

    mutating func saves() {
        save { script in
            script.bare("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
            script.bare("UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?")
            script.add("annotation: getting max pk for entityID = 2")
            script.add("annotation: updating max pk for entityID = 2 with old = 190 and new = 192")
        }
        save { script in
            for number in 191...192 {
                script.write(
                    "INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT, ZPAGES, ZTITLE, ZAUTHOR) VALUES(?, ?, "
                        + "?, ?, ?, ?)",
                    values: [
                        "(int64)\(number)", "(int64)2", "(int64)1", "nil", "\"A\"", "(int64)4",
                    ])
            }
            script.write(
                "UPDATE OR FAIL ZBOOK SET ZTITLE = ?, Z_OPT = ?  WHERE Z_PK = ? AND Z_OPT = ?",
                tenths: 7)
            script.write("DELETE FROM ZBOOK WHERE Z_PK = ? AND Z_OPT = ?", tenths: 6)
            script.write(
                "INSERT OR REPLACE INTO Z_1TAGS(Z_1BOOKS, Z_2TAGS) VALUES (191, 7)", tenths: 1)
        }
    }

    mutating func batchRequests() {
        save { script in
            script.write("UPDATE OR FAIL ZBOOK SET ZPAGES = ? WHERE ZPAGES < ?", tenths: 44)
        }
        save { script in
            script.write("DELETE FROM ZBOOK WHERE ZPAGES = ?", tenths: 21)
        }
    }

    mutating func history() {
        save { script in
            script.write(
                "INSERT INTO ATRANSACTION(Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZTIMESTAMP) VALUES(?, ?, "
                    + "?, ?, ?)")
            script.write(
                "INSERT INTO ACHANGE(Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, "
                    + "ZTRANSACTIONID) VALUES(?, ?, ?, ?, ?, ?, ?)")
        }
        fetch(
            "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZCHANGETYPE, t0.ZENTITY, t0.ZENTITYPK FROM ACHANGE "
                + "t0 WHERE  t0.ZTRANSACTIONID > ? ORDER BY t0.Z_PK", of: "CHANGE",
            values: ["(int64)12"], rows: 40)
    }

    mutating func conflict() {
        save { script in
            script.write(
                "UPDATE OR FAIL ZAUTHOR SET ZNAME = ?, Z_OPT = ?  WHERE Z_PK = ? AND Z_OPT = ?")
        }
        bare("ROLLBACK")
        fault("Author", 77, columns: "t0.ZBIRTH, t0.ZNAME")
    }

    mutating func schema() {
        save { script in
            script.bare(
                "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                    + "ZPAGES INTEGER, ZAUTHOR INTEGER, ZTITLE VARCHAR )")
            script.bare("CREATE INDEX ZBOOK_ZAUTHOR_INDEX ON ZBOOK (ZAUTHOR)")
            script.add("annotation: Creating schema.")
            script.bare(
                "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), "
                    + "Z_PLIST BLOB)")
            script.bare(
                "INSERT INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES(1, 'Author', 0, "
                    + "0)")
            script.bare("DELETE FROM Z_METADATA WHERE Z_VERSION = ?")
            script.bare("INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (?, ?, ?)")
            script.add("annotation: Saving new metadata dictionary into store")
        }
        bare("pragma cache_size=200")
    }

    mutating func rtree() {
        save { script in
            script.bare(
                "CREATE VIRTUAL TABLE IF NOT EXISTS Z_Place_byLocation USING RTREE (Z_PK INTEGER "
                    + "PRIMARY KEY, ZLATITUDE_MIN FLOAT, ZLATITUDE_MAX FLOAT)")
        }
        fetch(
            "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZLATITUDE FROM ZPLACE t0 WHERE t0.Z_PK IN (SELECT "
                + "n1_t0.Z_PK FROM Z_Place_byLocation n1_t0 WHERE (? <= n1_t0.ZLATITUDE_MIN AND "
                + "n1_t0.ZLATITUDE_MAX <= ?))", of: "Place",
            values: ["(double)1", "(double)2"], rows: 18)
    }

    mutating func migration() {
        add(
            "annotation: (migration) inferring a mapping model between data models with version "
                + "hashes {")
        save { script in
            script.bare("ALTER TABLE ZBOOK ADD COLUMN ZISBN VARCHAR")
            script.write("UPDATE ZBOOK SET Z_ENT = 3 WHERE Z_ENT = 2", tenths: 18)
            script.bare("DROP TABLE ZOLD")
        }
        add("annotation: (migration)\t in-place migration completed successfully in 0.02 seconds")
    }

    mutating func unbounded() {
        fetch(
            "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZPERSON t0", of: "Person", rows: 688_187,
            tenths: 47_890)
    }

    static func all(level: Int = 1) -> LogScript {
        var script = LogScript()
        script.level = level
        script.opening()
        script.chain()
        script.batches()
        script.prefetches()
        script.counts()
        script.aggregates()
        script.saves()
        script.batchRequests()
        script.history()
        script.conflict()
        script.schema()
        script.rtree()
        script.migration()
        script.unbounded()
        return script
    }
}
