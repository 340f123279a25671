import CoreDataSQLite
import Testing

@Suite struct RowRunTests {
    private let connection: Connection

    init() throws {
        connection = try Connection(.memory)
        try connection.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, a, b)")
        try connection.execute("INSERT INTO t VALUES (5, 1, 1), (6, 1, 1), (7, 1, 1)")
    }

    private func fill() throws -> RowRun {
        let run = try connection.rowRun()
        run.begin(firstKey: 5, rows: 2, width: 2)
        run.add(integer: .min)
        run.addNull()
        run.add(double: 0.5)
        #expect(!run.isFull)
        run.add(lastingText: UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(run.isFull)
        return run
    }

    @Test func `each row gets its own values`() throws {
        let run = try fill()
        let update = try connection.statement(
            "UPDATE t SET a = _Z_run(k, 0), b = _Z_run(k, 1) WHERE k BETWEEN 5 AND 6")
        #expect(try update.run() == 2)
        run.end()
        let list = "SELECT group_concat(quote(a) || ' ' || quote(b)) FROM t"
        #expect(try connection.firstText(list) == "-9223372036854775808 NULL,0.5 '',1 1")
    }

    @Test func `a missing row or column of the run is an error`() throws {
        let run = try fill()
        for text in ["_Z_run(7, 0)", "_Z_run(4, 0)", "_Z_run(5, 2)", "_Z_run(5, -1)"] {
            #expect(throws: SQLiteError.self) { try connection.firstText("SELECT \(text)") }
        }
        run.end()
        #expect(throws: SQLiteError.self) { try connection.firstText("SELECT _Z_run(5, 0)") }
    }

    @Test func `triggers cannot read values of the run`() throws {
        let run = try fill()
        defer { run.end() }
        try connection.execute(
            "CREATE TRIGGER r AFTER DELETE ON t BEGIN UPDATE t SET a = _Z_run(5, 0); END")
        #expect(throws: SQLiteError.self) { try connection.execute("DELETE FROM t") }
    }
}
