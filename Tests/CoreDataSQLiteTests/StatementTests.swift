import CoreDataSQLite
import Testing

@Suite struct StatementTests {
    private let connection: Connection

    init() throws { connection = try Connection(.memory) }

    @Test func `every storage class is bound and read back`() throws {
        let statement = try connection.statement("SELECT ?, ?, ?, ?, ?, ?")
        statement.bind(1, integer: .min)
        statement.bind(2, double: 0.1)
        statement.bind(3, text: "é\0x")
        [UInt8]([1, 0, 2]).withUnsafeBytes { statement.bind(4, blob: $0) }
        statement.bind(5)
        statement.bind(6, text: "")
        #expect(try statement.step())
        #expect(
            (0..<6).map { statement.value($0).storageClass }
                == [.integer, .real, .text, .blob, .null, .text])
        #expect(statement.integer(0) == .min)
        #expect(statement.double(1) == 0.1)
        #expect(statement.text(2) == "é\0x")
        #expect(Array(statement.value(3).bytes) == [1, 0, 2])
        #expect(statement.isNull(4))
        #expect(statement.text(5) == "")
        #expect(try !statement.step())
        statement.finish()
    }

    @Test func `an empty blob is not NULL`() throws {
        let statement = try connection.statement("SELECT ?, ?")
        statement.bind(1, blob: UnsafeRawBufferPointer(start: nil, count: 0))
        statement.bind(2, lastingText: UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(try statement.step())
        #expect(statement.value(0).storageClass == .blob)
        #expect(statement.value(1).storageClass == .text)
        statement.finish()
    }

    @Test func `a mistake in a text is reported with the text`() throws {
        let error = #expect(throws: SQLiteError.self) { try connection.statement("SELEC 1") }
        #expect(error?.sql == "SELEC 1")
        #expect(error?.message.contains("syntax error") == true)
        #expect(throws: SQLiteError.self) { try connection.statement("SELECT 1; SELECT 2") }
        #expect(throws: SQLiteError.self) { try connection.statement("") }
        #expect(throws: SQLiteError.self) { try connection.statement("SELECT \"no column\"") }
    }

    @Test func `kinds of constraints are distinguished`() throws {
        try connection.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, u UNIQUE, n NOT NULL)")
        try connection.execute("INSERT INTO t VALUES (1, 1, 1)")
        let unique = #expect(throws: SQLiteError.self) {
            try connection.execute("INSERT INTO t VALUES (2, 1, 1)")
        }
        #expect(unique?.isUniquenessViolation == true)
        let key = #expect(throws: SQLiteError.self) {
            try connection.execute("INSERT INTO t VALUES (1, 2, 1)")
        }
        #expect(key?.isPrimaryKeyViolation == true)
        #expect(key?.isUniquenessViolation == false)
        let null = #expect(throws: SQLiteError.self) {
            try connection.execute("INSERT INTO t VALUES (3, 3, NULL)")
        }
        #expect(null?.isConstraintViolation == true)
        #expect(null?.isPrimaryKeyViolation == false)
    }

    @Test func `a text is compiled once, and old texts are evicted`() throws {
        let first = try connection.statement("SELECT 1")
        #expect(try connection.statement("SELECT 1") === first)
        let compiled = connection.statistics.prepares
        for number in 0..<1_000 { try connection.statement("SELECT 1 + \(number)").run() }
        #expect(connection.statistics.prepares == compiled + 1_000)
        #expect(try connection.statement("SELECT 1") !== first)
        #expect(
            try connection.statement(number: 3, "SELECT 7") === connection.statement(number: 3, ""))
    }

    @Test func `statistics count statements by kind, rows and instructions`() throws {
        try connection.execute("CREATE TABLE t (a)")
        let before = connection.statistics
        let insert = try connection.statement("INSERT INTO t VALUES (?)")
        for number in 0..<5 {
            insert.bind(1, integer: Int64(number))
            #expect(try insert.run() == 1)
        }
        let select = try connection.statement("SELECT a FROM t WHERE a > 1")
        while try select.step() {}
        select.finish()
        let after = connection.statistics
        #expect(after.statements[.insert] == 5)
        #expect(after.statements[.select] == 1)
        #expect(after.rows - before.rows == 3)
        #expect(after.vmSteps > before.vmSteps + 5 * 5)
        #expect(after.prepares - before.prepares == 2)
    }

    @Test func `an observer receives each run with its bindings, only while it is registered`()
        throws
    {
        var runs: [StatementRun] = []
        connection.observe { runs.append($0) }
        let statement = try connection.statement("SELECT ?1 UNION ALL SELECT ?2")
        func run() throws {
            statement.bind(1, integer: 7)
            statement.bind(2, text: "x")
            while try statement.step() {}
            statement.finish()
        }
        try run()
        connection.isObserved = true
        connection.recordsBindings = true
        try run()
        connection.recordsBindings = false
        try run()
        connection.isObserved = false
        try run()
        #expect(runs.map(\.rows) == [2, 2])
        #expect(runs.map(\.bindings) == [["7", "\"x\""], []])
        #expect(runs.allSatisfy { $0.kind == .select && $0.vmSteps > 0 && $0.nanoseconds > 0 })
    }

    @Test func `kinds are recognised by the first word`() {
        let kinds: [(String, StatementKind)] = [
            (" select 1", .select), ("WITH a AS (SELECT 1) SELECT * FROM a", .select),
            ("INSERT INTO t VALUES(1)", .insert), ("REPLACE INTO t VALUES(1)", .insert),
            ("UPDATE t SET a = 1", .update), ("DELETE FROM t", .delete),
            ("BEGIN IMMEDIATE", .begin), ("COMMIT", .commit), ("ROLLBACK", .rollback),
            ("PRAGMA user_version", .pragma), ("CREATE TABLE t2 (a)", .schema),
            ("VACUUM", .other),
        ]
        _ = try? connection.execute("CREATE TABLE t (a)")
        for (sql, kind) in kinds {
            #expect((try? connection.statement(sql))?.kind == kind, "\(sql)")
        }
    }
}
