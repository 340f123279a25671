import CSQLite
import CoreDataSQLite
import Foundation
import Testing

@Suite struct ConnectionTests {
    @Test func `allocations of connections do not update the statistics of memory`() async {
        // The first connection of a process turns off the statistics for the whole process. The
        // test therefore runs in a new process.
        await #expect(processExitsWith: .success) {
            let connection = try Connection(.memory)
            try connection.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, name)")
            try connection.execute("INSERT INTO t VALUES (1, zeroblob(100000))")
            #expect(sqlite3_memory_used() == 0)
        }
    }

    @Test func `an array takes part in a join, in its own order and without sorting`() throws {
        let connection = try Connection(.memory)
        try connection.addIntegerArrayFunction(named: "numbers")
        try connection.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, name)")
        for key in 1...9 { try connection.execute("INSERT INTO t VALUES (\(key), 'n\(key)')") }
        let sql =
            "SELECT t.name, a.rowid FROM numbers(?) a CROSS JOIN t ON t.k = a.value "
            + "ORDER BY a.rowid"
        let statement = try connection.statement(sql)
        for wanted: [Int64] in [[7, 3, 7, 100, 1], [], [2]] {
            try wanted.withUnsafeBufferPointer { try statement.bind(1, array: $0) }
            var found: [String] = []
            while try statement.step() {
                found.append("\(statement.text(0))@\(statement.integer(1))")
            }
            statement.finish()
            #expect(
                found
                    == wanted.enumerated().filter { $0.element <= 9 }
                    .map { "n\($0.element)@\($0.offset + 1)" })
        }
        let plan = try rows(connection, "EXPLAIN QUERY PLAN " + sql, column: 3)
        #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
        #expect(plan.contains { $0.contains("INTEGER PRIMARY KEY (rowid=?)") }, "\(plan)")
    }

    @Test func `without a bound array the table of numbers is empty`() throws {
        let connection = try Connection(.memory)
        try connection.addIntegerArrayFunction(named: "numbers")
        #expect(try rows(connection, "SELECT value FROM numbers").isEmpty)
        #expect(try rows(connection, "SELECT value FROM numbers(42)").isEmpty)
        #expect(throws: SQLiteError.self) {
            try connection.execute("CREATE VIRTUAL TABLE x USING numbers")
        }
    }

    @Test func `functions and collations are called from SQL`() throws {
        let connection = try Connection(.memory)
        try connection.addFunction(named: "twice", argumentCount: 1, isDeterministic: true) {
            call in
            switch call[0].storageClass {
            case .integer: .integer(call[0].integer * 2)
            case .text:
                .text(String(repeating: String(decoding: call[0].bytes, as: UTF8.self), count: 2))
            case .real: .double(call[0].double * 2)
            case .null: .null
            case .blob: .failure("twice: no blobs")
            }
        }
        #expect(
            try rows(
                connection,
                "SELECT twice(21) UNION ALL SELECT twice('ab') UNION ALL SELECT twice(1.25)")
                == ["42", "abab", "2.5"])
        #expect(try rows(connection, "SELECT twice(NULL) IS NULL") == ["1"])
        let error = #expect(throws: SQLiteError.self) {
            try rows(connection, "SELECT twice(x'00')")
        }
        #expect(error?.message == "twice: no blobs")
        try connection.addCollation(named: "backwards") { left, right in
            let left = String(decoding: left, as: UTF8.self)
            let right = String(decoding: right, as: UTF8.self)
            return left == right ? 0 : left < right ? 1 : -1
        }
        #expect(
            try rows(
                connection,
                "SELECT column1 FROM (VALUES ('a'), ('c'), ('b')) ORDER BY 1 COLLATE backwards")
                == ["c", "b", "a"])
    }

    @Test func `a transaction that throws leaves nothing behind`() throws {
        let connection = try Connection(.memory)
        try connection.execute("CREATE TABLE t (a)")
        #expect(throws: SQLiteError.self) {
            try connection.transaction(.immediate) { () throws(SQLiteError) in
                try connection.execute("INSERT INTO t VALUES (1)")
                try connection.execute("INSERT INTO nowhere VALUES (1)")
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try rows(connection, "SELECT a FROM t").isEmpty)
        try connection.transaction(.deferred) { () throws(SQLiteError) in
            try connection.execute("INSERT INTO t VALUES (2)")
        }
        #expect(try rows(connection, "SELECT a FROM t") == ["2"])
    }

    @Test func `an image restores a database, and statements stay compiled`() throws {
        let connection = try Connection(.memory)
        try connection.execute("CREATE TABLE t (a)")
        try connection.execute("INSERT INTO t VALUES (1)")
        let image = try connection.makeImage()
        let count = try connection.statement("SELECT count(*) FROM t")
        let insert = try connection.statement("INSERT INTO t VALUES (2)")
        func number() throws -> Int64 {
            defer { count.finish() }
            _ = try count.step()
            return count.integer(0)
        }
        for _ in 0..<3 {
            try connection.replace(with: image)
            #expect(try number() == 1)
            for _ in 0..<500 { try insert.run() }
            #expect(try number() == 501)
        }
        let compiled = connection.statistics.prepares
        try connection.replace(with: image)
        #expect(try number() == 1)
        #expect(connection.statistics.prepares == compiled)
        #expect(try connection.makeImage() == image)
    }

    @Test func `an image replaces the database under an unfinished statement`() throws {
        let connection = try Connection(.memory)
        try connection.execute("CREATE TABLE t (a)")
        for number in 0..<100 { try connection.execute("INSERT INTO t VALUES (\(number))") }
        let image = try connection.makeImage()
        let half = try connection.statement("SELECT a FROM t")
        let numbered = try connection.statement(number: 0, "SELECT a FROM t ORDER BY a DESC")
        for _ in 0..<5 {
            #expect(try half.step())
            #expect(try numbered.step())
            try connection.replace(with: image)
        }
        #expect(try half.step())
        #expect(half.integer(0) == 0)
        half.finish()
    }

    @Test func `an image of a file in WAL mode and an empty one can be loaded`() throws {
        let path = temporaryPath()
        defer { removeFiles(path) }
        var image: [UInt8] = []
        do {
            let file = try Connection(.file(path))
            _ = try file.firstText("PRAGMA journal_mode=wal")
            try file.execute("CREATE TABLE t (a)")
            try file.execute("INSERT INTO t VALUES (5)")
            image = try file.makeImage()
        }
        let connection = try Connection(.memory)
        try connection.replace(with: image)
        #expect(try rows(connection, "SELECT a FROM t") == ["5"])
        try connection.replace(with: [])
        #expect(try rows(connection, "SELECT name FROM sqlite_master").isEmpty)
        try connection.execute("CREATE TABLE u (a)")
    }

    @Test func `an image keeps virtual tables, and the statements that use them`()
        throws
    {
        let connection = try Connection(.memory)
        try connection.addIntegerArrayFunction(named: "numbers")
        try connection.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, name)")
        for key in 1...9 { try connection.execute("INSERT INTO t VALUES (\(key), 'n\(key)')") }
        let image = try connection.makeImage()
        let sql = "SELECT name FROM t WHERE k IN (SELECT value FROM numbers(?))"
        for round in 1...20 {
            // The freed blocks have the size of a schema, so SQLite reuses one of them for the new
            // schema. The new schema therefore cannot have the address of the old one by chance.
            for size in stride(from: 64, through: 256, by: 16) {
                let pieces = (0..<16).map { _ in malloc(size) }
                for piece in pieces { free(piece) }
            }
            try connection.replace(with: image)
            let prepares = connection.statistics.prepares
            #expect(try named([Int64(round % 9) + 1], try connection.statement(sql)).count == 1)
            #expect(connection.statistics.prepares == prepares + (round == 1 ? 1 : 0))
            let other = try connection.statement("SELECT \(round), * FROM (\(sql)) ORDER BY 2")
            #expect(try named([3, 7, 100], other, column: 1) == ["n3", "n7"])
            let columns = "SELECT name FROM pragma_table_info('t') WHERE \(round) > 0"
            #expect(try rows(connection, columns) == ["k", "name"])
        }
        #expect(try connection.makeImage() == image)
    }

    private func named(
        _ keys: [Int64], _ statement: Statement, column: Int = 0
    ) throws -> [String] {
        try keys.withUnsafeBufferPointer { try statement.bind(1, array: $0) }
        defer { statement.finish() }
        var found: [String] = []
        while try statement.step() { found.append(statement.text(column)) }
        return found
    }

    @Test func `an image is refused inside a transaction`() throws {
        let connection = try Connection(.memory)
        let image = try connection.makeImage()
        try connection.begin(.immediate)
        #expect(throws: SQLiteError.self) { try connection.replace(with: image) }
        try connection.rollback()
        try connection.replace(with: image)
    }

    @Test func `a read-only connection reads and does not write`() throws {
        let path = temporaryPath()
        defer { removeFiles(path) }
        try Connection(.file(path)).execute("CREATE TABLE t (a)")
        var options = Connection.Options()
        options.isReadOnly = true
        let connection = try Connection(.file(path), options: options)
        #expect(try rows(connection, "SELECT a FROM t").isEmpty)
        let error = #expect(throws: SQLiteError.self) {
            try connection.execute("INSERT INTO t VALUES (1)")
        }
        #expect(error?.isReadOnly == true)
        let missing = #expect(throws: SQLiteError.self) {
            try Connection(.file(path + ".none"), options: options)
        }
        #expect(missing?.cannotOpen == true)
    }

    @Test func `a lock that is held too long is reported as busy`() throws {
        let path = temporaryPath()
        defer { removeFiles(path) }
        var options = Connection.Options()
        options.busyTimeoutMilliseconds = 1
        let first = try Connection(.file(path), options: options)
        let second = try Connection(.file(path), options: options)
        try first.begin(.immediate)
        let error = #expect(throws: SQLiteError.self) { try second.begin(.immediate) }
        #expect(error?.isBusy == true)
        try first.commit()
        try second.begin(.immediate)
        try second.rollback()
    }

    @Test func `closing can leave a file without a checkpoint`() throws {
        let path = temporaryPath()
        defer { removeFiles(path) }
        let size = { (try? Data(contentsOf: URL(fileURLWithPath: path)))?.count ?? -1 }
        do {
            let connection = try Connection(.file(path))
            #expect(connection.checkpointsOnClose)
            _ = try connection.firstText("PRAGMA journal_mode=wal")
            connection.checkpointsOnClose = false
            try connection.execute("CREATE TABLE t (a)")
        }
        let before = size()
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        do { _ = try Connection(.file(path)).firstText("SELECT count(*) FROM t") }
        #expect(size() > before, "the next one writes the log into the file")
    }

    private func rows(_ connection: Connection, _ sql: String, column: Int = 0) throws -> [String] {
        let statement = try connection.statement(sql)
        defer { statement.finish() }
        var rows: [String] = []
        while try statement.step() { rows.append(statement.text(column)) }
        return rows
    }

    private func temporaryPath() -> String {
        FileManager.default.temporaryDirectory
            .appendingPathComponent("faultline-\(UUID().uuidString).sqlite").path
    }

    private func removeFiles(_ path: String) {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }
}
