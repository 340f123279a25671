import CoreDataPostgreSQLClient
import CoreDataTrace
import Foundation
import PostgreSQLTestSupport
import Synchronization
import Testing

@Suite(.needsPostgreSQL) struct StatementTests {
    private let database: TestDatabase
    private let connection: Connection

    init() throws {
        database = try TestServer.shared().makeDatabase()
        connection = try database.connect()
    }

    @Test func `a statement is prepared once`() throws {
        let parameters = Parameters()
        for value in 0..<5 {
            parameters.removeAll()
            parameters.append(int8: Int64(value))
            #expect(try connection.execute("SELECT $1 + 1", parameters)[0, 0].integer == value + 1)
        }
        #expect(connection.statistics.prepares == 1)
        #expect(connection.statistics.statements[.select] == 5)
        #expect(connection.statistics.rows == 5)
        // One round trip sets the options of the connection.
        #expect(connection.statistics.roundTrips == 6)
    }

    @Test func `a deferred constraint that fails at the end of a statement is an error`() throws {
        try connection.runScript(
            "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (a int REFERENCES a DEFERRABLE"
                + " INITIALLY DEFERRED); INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)")
        let error = #expect(throws: ServerError.self) { try connection.execute("DELETE FROM a") }
        #expect(error?.isForeignKeyViolation == true && error?.isConnectionLost == false)
        #expect(try connection.firstText("SELECT count(*)::text FROM a") == "1")
    }

    @Test func `a statement with parameters of other types is prepared again`() throws {
        let parameters = Parameters()
        parameters.append(int8: 1)
        #expect(try connection.execute("SELECT $1", parameters).type(ofColumn: 0) == 20)
        parameters.removeAll()
        try parameters.append(text: "a")
        #expect(try connection.execute("SELECT $1", parameters).type(ofColumn: 0) == 25)
        #expect(connection.statistics.prepares == 2)
        #expect(
            try connection.firstText("SELECT count(*)::text FROM pg_prepared_statements") == "2")
    }

    @Test func `statements that were not used for long are deallocated`() throws {
        for number in 0..<300 { try connection.execute("SELECT \(number)") }
        let count = try connection.firstText("SELECT count(*)::text FROM pg_prepared_statements")
        #expect(Int(count ?? "") == 257)
        #expect(connection.statistics.prepares == 301)
    }

    @Test func `without prepared statements none is left on the server`() throws {
        var options = Connection.Options()
        options.keepsStatements = false
        let connection = try database.connect(options)
        let parameters = Parameters()
        parameters.append(int8: 3)
        for _ in 0..<2 {
            #expect(try connection.execute("SELECT $1 + 1", parameters)[0, 0].integer == 4)
        }
        #expect(
            try connection.firstText("SELECT count(*)::text FROM pg_prepared_statements") == "0")
        #expect(connection.statistics.prepares == 0)
    }

    @Test func `a statement is prepared again after its table has changed`() throws {
        try connection.runScript("CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
        #expect(try connection.execute("SELECT * FROM t").columnCount == 1)
        try connection.execute("ALTER TABLE t ADD COLUMN b text")
        #expect(try connection.execute("SELECT * FROM t").columnCount == 2)
        try connection.execute("ALTER TABLE t ADD COLUMN c text")
        let results = try connection.executePipeline([
            PipelinedStatement("INSERT INTO t VALUES (2)"), PipelinedStatement("SELECT * FROM t"),
        ])
        #expect(results[1].columnCount == 3)
        #expect(results[1].rowCount == 2)
    }

    @Test func `in a transaction an outdated statement fails once`() throws {
        try connection.runScript("CREATE TABLE t (a int)")
        try connection.execute("SELECT * FROM t")
        try connection.execute("ALTER TABLE t ADD COLUMN b text")
        try connection.begin()
        let error = #expect(throws: ServerError.self) { try connection.execute("SELECT * FROM t") }
        #expect(error?.sqlState == "0A000")
        #expect(connection.isTransactionFailed)
        try connection.rollback()
        #expect(try connection.execute("SELECT * FROM t").columnCount == 2)
    }

    @Test func `a statement that another program deallocated is prepared again`() throws {
        try connection.execute("SELECT 1")
        try connection.runScript("DEALLOCATE ALL")
        #expect(try connection.execute("SELECT 1")[0, 0].integer == 1)
    }

    @Test func `a statement that would be cut off is refused`() throws {
        let sql = "SELECT 1\0; DROP TABLE t"
        for run in [
            { _ = try connection.execute(sql) }, { try connection.runScript(sql) },
            { try connection.forEachPiece(sql) { _ in true } },
            { try connection.copy(sql, columnCount: 1) { _ throws(ServerError) in } },
        ] as [() throws -> Void] {
            let error = #expect(throws: ServerError.self) { try run() }
            #expect(error?.isUnstorableCharacter == true)
        }
    }

    @Test func `more parameters than the protocol allows are refused`() throws {
        let parameters = Parameters()
        for _ in 0..<65_536 { parameters.append(int4: 1) }
        let error = #expect(throws: ServerError.self) {
            try connection.execute("SELECT $1", parameters)
        }
        #expect(error?.message.contains("use an array as one parameter") == true)
        #expect(!connection.isLost)
    }

    @Test func `a script runs several statements as one transaction`() throws {
        #expect(throws: ServerError.self) {
            try connection.runScript("CREATE TABLE t (a int); SELECT 1 / 0; SELECT 2")
        }
        #expect(try connection.firstText("SELECT to_regclass('t')::text") == nil)
        try connection.runScript("CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2)")
        #expect(try connection.firstText("SELECT count(*)::text FROM t") == "2")
    }

    @Test func `results report their command and rows`() throws {
        try connection.runScript("CREATE TABLE t (a int)")
        let inserted = try connection.execute("INSERT INTO t VALUES (1), (2), (3)")
        #expect(inserted.command == "INSERT 0 3")
        #expect(inserted.affectedRows == 3)
        let updated = try connection.execute("UPDATE t SET a = 5 WHERE a > 1 RETURNING a AS b")
        #expect(updated.affectedRows == 2 && updated.rowCount == 2)
        #expect(updated.name(ofColumn: 0) == "b")
        #expect(try connection.execute("").affectedRows == 0)
    }

    @Test func `runs are reported with their parameters`() throws {
        var runs: [StatementRun] = []
        connection.recordsBindings = true
        connection.observe { runs.append($0) }
        #expect(connection.isObserved)
        let parameters = Parameters()
        parameters.append(int8: 42)
        try connection.execute("SELECT generate_series(1, $1)", parameters)
        connection.observe(nil)
        try connection.execute("SELECT 1")
        #expect(runs.map(\.sql) == ["SELECT generate_series(1, $1)"])
        #expect(runs.first?.bindings == ["42"])
        #expect(runs.first?.rows == 42)
        #expect(runs.first?.kind == .select)
        #expect(runs.first.map { $0.nanoseconds > 0 } == true)
    }

    @Test func `settings apply to the connection`() throws {
        var options = Connection.Options()
        options.applicationName = "shop's server"
        options.settings = [("search_path", "a, b"), ("TimeZone", "UTC")]
        options.lockMilliseconds = 1234
        let connection = try database.connect(options)
        #expect(try connection.firstText("SHOW application_name") == "shop's server")
        #expect(try connection.firstText("SHOW search_path") == "\"a, b\"")
        #expect(try connection.firstText("SHOW lock_timeout") == "1234ms")
        #expect(try connection.firstText("SHOW client_encoding") == "UTF8")
        #expect(connection.serverVersion >= 150_000)
        let process = try connection.firstText("SELECT pg_backend_pid()::text")
        #expect(process == "\(connection.serverProcess)")
    }

    @Test func `warnings of the server are written to the log`() throws {
        let lines = Mutex<[String]>([])
        try EngineLog.capture({ line in lines.withLock { $0.append(line) } }) {
            try connection.runScript("DO $$ BEGIN RAISE WARNING 'a warning'; END $$")
            try connection.runScript("DO $$ BEGIN RAISE NOTICE 'a notice'; END $$")
        }
        #expect(lines.withLock { $0.count } == 1)
        #expect(lines.withLock { $0.first?.contains("a warning") } == true)
    }

    // MARK: Pipelines

    @Test func `a pipeline runs its statements in one round trip`() throws {
        try connection.runScript("CREATE TABLE t (a int)")
        let before = connection.statistics.roundTrips
        let results = try connection.executePipeline([
            PipelinedStatement("BEGIN"), PipelinedStatement("INSERT INTO t VALUES (1), (2)"),
            PipelinedStatement("SELECT a FROM t ORDER BY a"), PipelinedStatement("COMMIT"),
        ])
        #expect(connection.statistics.roundTrips == before + 1)
        #expect(results.count == 4)
        #expect(results[1].affectedRows == 2)
        #expect(results[2][1, 0].integer == 2)
        #expect(!connection.isInTransaction)
        #expect(try connection.executePipeline([]).isEmpty)
    }

    @Test func `the first error of a pipeline undoes the statements before it`() throws {
        try connection.runScript("CREATE TABLE t (a int PRIMARY KEY)")
        let error = #expect(throws: ServerError.self) {
            try connection.executePipeline([
                PipelinedStatement("INSERT INTO t VALUES (1)"),
                PipelinedStatement("INSERT INTO t VALUES (1)"),
                PipelinedStatement("INSERT INTO t VALUES (2)"),
            ])
        }
        #expect(error?.statementIndex == 1)
        #expect(error?.isUniqueViolation == true)
        #expect(try connection.firstText("SELECT count(*)::text FROM t") == "0")
        #expect(try connection.execute("INSERT INTO t VALUES (2)").affectedRows == 1)
    }

    @Test func `a pipeline may send and receive more than the sockets hold`() throws {
        let size = 500_000
        let statements = try (0..<8).map { number in
            let parameters = Parameters()
            try parameters.append(text: String(repeating: "\(number)", count: size))
            return PipelinedStatement("SELECT $1 || '!'", parameters)
        }
        let results = try connection.executePipeline(statements)
        #expect(results.map { $0[0, 0].bytes.count } == Array(repeating: size + 1, count: 8))
        #expect(results[7][0, 0].text.first == "7")
    }

    // MARK: Large results

    @Test func `a large result is read in pieces`() throws {
        var (sum, count): (Int64, Int) = (0, 0)
        try connection.forEachPiece("SELECT generate_series(1, 20000)::bigint") { piece in
            for row in 0..<piece.rowCount { sum += piece[row, 0].integer }
            count += piece.rowCount
            return true
        }
        #expect(count == 20_000)
        #expect(sum == 200_010_000)
    }

    @Test func `reading in pieces can end early`() throws {
        var count = 0
        try connection.forEachPiece("SELECT generate_series(1, 100000000)") { piece in
            count += piece.rowCount
            return count < 10
        }
        #expect(count >= 10)
        #expect(try connection.firstText("SELECT 'usable'") == "usable")
    }

    @Test func `an error in a large result is reported`() throws {
        let error = #expect(throws: ServerError.self) {
            try connection.forEachPiece("SELECT 1 / (3 - a) FROM generate_series(1, 5) a") { _ in
                true
            }
        }
        #expect(error?.sqlState == "22012")
        #expect(try connection.firstText("SELECT 'usable'") == "usable")
    }
}
