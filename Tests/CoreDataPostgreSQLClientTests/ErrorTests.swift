import CoreDataPostgreSQLClient
import Dispatch
import Foundation
import PostgreSQLTestSupport
import Testing

/// Tests that cause each class of errors on a server.
@Suite(.needsPostgreSQL) struct ErrorTests {
    private let database: TestDatabase
    private let connection: Connection

    init() throws {
        database = try TestServer.shared().makeDatabase()
        connection = try database.connect()
        try connection.runScript(
            """
            CREATE TABLE parent (id int PRIMARY KEY, "na""me" text NOT NULL, n int CHECK (n > 0));
            CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent);
            INSERT INTO parent VALUES (1, 'a', 1), (2, 'b', 2)
            """)
    }

    private func failure(
        _ sql: String, on connection: Connection? = nil
    ) throws -> ServerError {
        try #require(throws: ServerError.self) {
            try (connection ?? self.connection).execute(sql)
        }
    }

    @Test func `violations name their constraint, table and column`() throws {
        let unique = try failure("INSERT INTO parent VALUES (1, 'c', 1)")
        #expect(unique.isUniqueViolation && unique.isConstraintViolation)
        #expect(unique.constraint == "parent_pkey" && unique.table == "parent")
        #expect(unique.schema == "public")
        #expect(unique.detail == "Key (id)=(1) already exists.")
        let null = try failure("INSERT INTO parent VALUES (3, NULL, 1)")
        #expect(null.isNotNullViolation && null.column == "na\"me")
        let check = try failure("INSERT INTO parent VALUES (3, 'c', -1)")
        #expect(check.isCheckViolation && check.constraint == "parent_n_check")
        let foreign = try failure("INSERT INTO child VALUES (1, 99)")
        #expect(foreign.isForeignKeyViolation && foreign.constraint == "child_parent_fkey")
        #expect(!foreign.isConnectionLost && !foreign.isOutcomeUnknown)
    }

    @Test func `errors of statements have position and hint`() throws {
        let error = try failure("SELECT idd FROM parent")
        #expect(error.sqlState == "42703")
        #expect(error.position == 8)
        #expect(error.hint.contains("parent.id"))
        #expect(error.sql == "SELECT idd FROM parent")
        #expect(error.description.hasPrefix("PostgreSQL 42703: column \"idd\" does not exist; "))
        #expect(error.description.hasSuffix(" in SELECT idd FROM parent"))
    }

    @Test func `missing things are distinguished`() throws {
        #expect(try failure("SELECT 1 FROM missing").isMissingTable)
        #expect(try failure("CREATE TABLE missing.t (a int)").isMissingSchema)
        try connection.begin(.repeatableRead, readsOnly: true)
        #expect(try failure("DELETE FROM child").isReadOnly)
        try connection.rollback()
        let role = Connection.identifier("guest \(UUID())")
        try connection.runScript("CREATE ROLE \(role); SET ROLE \(role)")
        #expect(try failure("SELECT 1 FROM parent").isPermissionDenied)
    }

    @Test func `a serialization failure is a conflict`() throws {
        let other = try database.connect()
        for isolation in [Connection.Isolation.repeatableRead, .serializable] {
            try connection.begin(isolation)
            try connection.execute("SELECT * FROM parent")
            try other.execute("UPDATE parent SET n = n + 1 WHERE id = 1")
            let error = try failure("UPDATE parent SET n = n + 1 WHERE id = 1")
            #expect(error.isSerializationFailure && error.isTransactionConflict)
            #expect(!error.isDeadlock)
            try connection.rollback()
        }
    }

    @Test func `write skew is a conflict of serializable transactions`() throws {
        let other = try database.connect()
        for (reader, id) in [(connection, 1), (other, 2)] {
            try reader.begin(.serializable)
            try reader.execute("SELECT sum(n) FROM parent")
            try reader.execute("UPDATE parent SET n = n + 10 WHERE id = \(id)")
        }
        try connection.commit()
        let error = #expect(throws: ServerError.self) { try other.commit() }
        #expect(error?.isSerializationFailure == true)
        #expect(error?.isOutcomeUnknown == false)
        #expect(!other.isInTransaction)
    }

    @Test func `a deadlock is a conflict of one of its transactions`() throws {
        let other = try database.connect()
        try connection.begin()
        try other.begin()
        try connection.execute("UPDATE parent SET n = 5 WHERE id = 1")
        try other.execute("UPDATE parent SET n = 5 WHERE id = 2")
        let failures = DispatchGroup()
        nonisolated(unsafe) var first: ServerError?  // Safe: the group is waited for.
        DispatchQueue.global().async(group: failures) { [connection] in
            do { try connection.execute("UPDATE parent SET n = 6 WHERE id = 2") } catch {
                first = error as? ServerError
            }
            try? connection.rollback()
        }
        var second: ServerError?
        do { try other.execute("UPDATE parent SET n = 6 WHERE id = 1") } catch { second = error }
        try other.rollback()
        failures.wait()
        let errors = [first, second].compactMap(\.self)
        #expect(errors.count == 1)
        #expect(errors.first?.isDeadlock == true && errors.first?.isTransactionConflict == true)
    }

    @Test func `a lock that is not free is reported`() throws {
        let other = try database.connect()
        try other.begin()
        try other.execute("UPDATE parent SET n = 9 WHERE id = 1")
        let error = try failure("SELECT * FROM parent WHERE id = 1 FOR UPDATE NOWAIT")
        #expect(error.isLockNotAvailable)
        var options = Connection.Options()
        options.lockMilliseconds = 20
        let impatient = try database.connect(options)
        let late = try failure("UPDATE parent SET n = 8 WHERE id = 1", on: impatient)
        #expect(late.isLockNotAvailable)
    }

    @Test func `a statement over its time is cancelled`() throws {
        var options = Connection.Options()
        options.statementMilliseconds = 20
        let impatient = try database.connect(options)
        #expect(try failure("SELECT pg_sleep(60)", on: impatient).isCancelled)
        #expect(try impatient.firstText("SELECT 'usable'") == "usable")
    }

    @Test func `another thread cancels a statement`() throws {
        let canceller = try Canceller(connection)
        let watching = try database.connect()
        let process = connection.serverProcess
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            // A request before the statement has begun would have no effect.
            let sql = "SELECT state FROM pg_stat_activity WHERE pid = \(process)"
            while (try? watching.firstText(sql)) == "idle" {}
            try? canceller.cancel()
        }
        #expect(try failure("SELECT pg_sleep(60)").isCancelled)
        group.wait()
        #expect(try connection.firstText("SELECT 'usable'") == "usable")
    }

    @Test func `committing a failed transaction is an error`() throws {
        try connection.begin()
        try connection.execute("DELETE FROM child")
        _ = try failure("SELECT 1 / 0")
        #expect(connection.isTransactionFailed)
        #expect(try failure("SELECT 1").sqlState == "25P02")
        let error = #expect(throws: ServerError.self) { try connection.commit() }
        #expect(error?.sqlState == "25P02" && error?.isOutcomeUnknown == false)
        #expect(!connection.isInTransaction)
    }

    @Test func `a transaction whose body throws is rolled back`() throws {
        #expect(throws: ServerError.self) {
            try connection.transaction { () throws(ServerError) in
                try connection.execute("INSERT INTO child VALUES (1, 1)")
                try connection.execute("INSERT INTO child VALUES (1, 1)")
            }
        }
        #expect(try connection.firstText("SELECT count(*)::text FROM child") == "0")
        try connection.transaction(.serializable) { () throws(ServerError) in
            #expect(try connection.firstText("SHOW transaction_isolation") == "serializable")
            try connection.execute("INSERT INTO child VALUES (1, 1)")
        }
        #expect(try connection.firstText("SELECT count(*)::text FROM child") == "1")
    }

    // MARK: Opening

    @Test(arguments: [
        ("postgresql:///missing?host=SOCKET&user=postgres", "3D000"),
        ("postgresql:///postgres?host=SOCKET&user=missing", "28000"),
        ("postgresql:///postgres?host=SOCKET-missing&user=postgres", "08001"),
        ("postgresql://127.0.0.1:1/postgres?user=postgres", "08001"),
    ])
    func `a connection that cannot be opened names the reason`(
        _ text: String, _ state: String
    ) throws {
        let socket = try TestServer.shared().socketFolder
        let address = try ServerAddress(text.replacing("SOCKET", with: socket))
        let error = try #require(throws: ServerError.self) { try Connection(address) }
        #expect(error.sqlState == state, "\(error)")
        #expect(error.isMissingDatabase == (state == "3D000"))
        #expect(error.isAuthenticationFailure == (state == "28000"))
        #expect(error.message.hasPrefix("no connection to postgresql://"))
        #expect(!error.message.contains("\n") && !error.message.contains(".c:"))
    }

    @Test(arguments: ["scema=a", "sslmode=maybe", "host=a&bad"])
    func `unknown options are refused with the known ones`(_ options: String) throws {
        let error = try #require(throws: ServerError.self) {
            try Connection(ServerAddress("postgresql:///shop?\(options)"))
        }
        #expect(error.message.contains("sslmode") || error.message.contains("option"), "\(error)")
    }

    @Test func `no error shows the password`() throws {
        let server = try TestServer.shared()
        let address = try ServerAddress(
            "postgresql://nobody:topsecret@/missing?host=\(server.socketFolder)")
        let error = try #require(throws: ServerError.self) { try Connection(address) }
        #expect(!error.description.contains("topsecret"), "\(error)")
    }

    @Test func `too many connections are reported`() throws {
        let server = try TestServer(settings: [
            "max_connections": "5", "superuser_reserved_connections": "0",
            "max_wal_senders": "0",
        ])
        var connections: [Connection] = []
        let error = #expect(throws: ServerError.self) {
            for _ in 0..<6 {
                connections.append(try Connection(server.address(ofDatabase: "postgres")))
            }
        }
        #expect(error?.isTooManyConnections == true && error?.isOutOfResources == true)
        #expect(connections.count == 4)
    }
}
