import CoreDataPostgreSQLClient
import Foundation
import PostgreSQLTestSupport
import Testing

/// Tests that cut connections at chosen moments.
@Suite(.needsPostgreSQL) struct LossTests {
    private let database: TestDatabase
    private let proxy: CuttingProxy
    private let connection: Connection

    init() throws {
        database = try TestServer.shared().makeDatabase()
        try database.connect().runScript("CREATE TABLE t (a int)")
        proxy = try CuttingProxy(to: database.server)
        connection = try Connection(Self.address(database, proxy))
    }

    private static func address(
        _ database: TestDatabase, _ proxy: CuttingProxy
    ) throws -> ServerAddress {
        try ServerAddress("postgresql:///\(database.name)?host=\(proxy.socketFolder)&user=postgres")
    }

    private func count() throws -> String? {
        try database.connect().firstText("SELECT count(*)::text FROM t")
    }

    @Test func `a cut before COMMIT leaves the outcome unknown, and nothing is committed`() throws {
        try connection.begin()
        try connection.execute("INSERT INTO t VALUES (1)")
        proxy.cut(.beforeMessage(1))
        let error = try #require(throws: ServerError.self) { try connection.commit() }
        #expect(error.isConnectionLost && error.isOutcomeUnknown, "\(error)")
        #expect(error.description.contains("unknown whether the changes were committed"))
        #expect(connection.isLost && proxy.cuts == 1)
        #expect(try count() == "0")
    }

    @Test func `a cut after COMMIT leaves the outcome unknown, and all is committed`() throws {
        try connection.begin()
        try connection.execute("INSERT INTO t VALUES (1)")
        proxy.cut(.afterMessage(1))
        let error = try #require(throws: ServerError.self) { try connection.commit() }
        #expect(error.isConnectionLost && error.isOutcomeUnknown)
        #expect(try count() == "1")
    }

    @Test func `a cut of a pipeline with COMMIT leaves the outcome unknown`() throws {
        proxy.cut(.afterMessage(1))
        let error = try #require(throws: ServerError.self) {
            try connection.executePipeline([
                PipelinedStatement("BEGIN"), PipelinedStatement("INSERT INTO t VALUES (1)"),
                PipelinedStatement("COMMIT"),
            ])
        }
        #expect(error.isConnectionLost && error.isOutcomeUnknown, "\(error)")
        #expect(connection.isLost)
    }

    @Test func `a change outside of a transaction has an unknown outcome, a read has none`() throws
    {
        proxy.cut(.afterMessage(1))
        let change = try #require(throws: ServerError.self) {
            try connection.execute("INSERT INTO t VALUES (1)")
        }
        #expect(change.isConnectionLost && change.isOutcomeUnknown)
        let other = try Connection(Self.address(database, proxy))
        proxy.cut(.afterMessage(1))
        let read = try #require(throws: ServerError.self) { try other.execute("SELECT * FROM t") }
        #expect(read.isConnectionLost && !read.isOutcomeUnknown)
    }

    @Test func `a change in a transaction is undone by a loss`() throws {
        try connection.begin()
        proxy.cut(.afterMessage(1))
        let error = try #require(throws: ServerError.self) {
            try connection.execute("INSERT INTO t VALUES (1)")
        }
        #expect(error.isConnectionLost && !error.isOutcomeUnknown)
        #expect(try count() == "0")
        try connection.rollback()
        let later = try #require(throws: ServerError.self) { try connection.begin() }
        #expect(later.message.contains("open another one"))
    }

    @Test(arguments: [1, 30, 100, 400])
    func `an answer that is cut after a number of bytes is a loss`(_ bytes: Int) throws {
        proxy.cut(.afterAnswerBytes(bytes))
        let error = try #require(throws: ServerError.self) {
            try connection.execute("SELECT repeat('a', 1000)")
        }
        #expect(error.isConnectionLost)
    }

    @Test func `a cut at each message of a save is a loss, and no half is committed`() throws {
        var acknowledged: [Int] = []
        var unknown: [Int] = []
        for message in 1...40 where acknowledged.isEmpty {
            let client = try Connection(Self.address(database, proxy))
            proxy.cut(.beforeMessage(message))
            do {
                try client.transaction { () throws(ServerError) in
                    try client.execute("INSERT INTO t VALUES (\(message))")
                    try client.execute("INSERT INTO t VALUES (\(message))")
                }
                acknowledged.append(message)
                proxy.cut(nil)
            } catch {
                #expect(error.isConnectionLost, "\(error)")
                if error.isOutcomeUnknown { unknown.append(message) }
            }
        }
        #expect(acknowledged.count == 1 && (acknowledged.first ?? 0) > 10)
        #expect(!unknown.isEmpty)
        let found = try database.connect().execute("SELECT a, count(*) FROM t GROUP BY a")
        let rows = (0..<found.rowCount).map { (found[$0, 0].integer, found[$0, 1].integer) }
        #expect(rows.allSatisfy { $0.1 == 2 })
        #expect(Set(rows.map { Int($0.0) }).isSuperset(of: acknowledged))
        #expect(Set(rows.map { Int($0.0) }).isSubset(of: acknowledged + unknown))
    }

    @Test func `a cut while the connection is opened is reported`() throws {
        proxy.cut(.beforeMessage(1))
        let error = try #require(throws: ServerError.self) {
            try Connection(Self.address(database, proxy))
        }
        #expect(error.isConnectionLost && error.sqlState == "08001")
    }

    @Test func `a cut during COPY is a loss`() throws {
        proxy.cut(.afterBytes(100_000))
        let error = try #require(throws: ServerError.self) {
            try connection.copy("COPY t FROM STDIN (FORMAT binary)", columnCount: 1) {
                writer throws(ServerError) in
                for number in 0..<100_000 {
                    try writer.beginRow()
                    writer.append(int4: Int32(number))
                }
            }
        }
        #expect(error.isConnectionLost)
        #expect(try count() == "0")
    }

    @Test func `a delayed server still answers, and a silent one counts as lost`() throws {
        proxy.delay(milliseconds: 20)
        #expect(try connection.firstText("SELECT 'late'") == "late")
        proxy.delay(milliseconds: 0)
        var options = Connection.Options()
        options.silenceMilliseconds = 2000
        let impatient = try Connection(Self.address(database, proxy), options: options)
        let error = try #require(throws: ServerError.self) {
            try impatient.execute("SELECT pg_sleep(60)")
        }
        #expect(error.isConnectionLost && error.message.contains("silent for 2000"))
        proxy.close()
        #expect(throws: ServerError.self) { try Connection(Self.address(database, proxy)) }
    }

    @Test func `a server that does not answer in time is reported`() throws {
        proxy.delay(milliseconds: 2000)
        var options = Connection.Options()
        options.openingMilliseconds = 50
        let error = try #require(throws: ServerError.self) {
            try Connection(Self.address(database, proxy), options: options)
        }
        #expect(error.message.contains("within 50 milliseconds"), "\(error)")
    }

    @Test func `a connection that the server ends reports the server's reason`() throws {
        try connection.begin()
        try database.server.administer("SELECT pg_terminate_backend(\(connection.serverProcess))")
        let error = try #require(throws: ServerError.self) { try connection.execute("SELECT 1") }
        #expect(error.sqlState == "57P01" && error.isConnectionLost && !error.isOutcomeUnknown)
        #expect(connection.isLost)
    }

    @Test func `a killed server keeps what was committed`() throws {
        let server = try TestServer()
        let pool = ConnectionPool(try server.address(ofDatabase: "postgres"))
        try pool.withConnection { client throws(ServerError) in
            try client.runScript("CREATE TABLE t (a int)")
            try client.execute("INSERT INTO t VALUES (1)")
            try client.begin()
            try client.execute("INSERT INTO t VALUES (2)")
            try client.commit()
        }
        let idle = try pool.take()
        pool.giveBack(idle)
        server.kill()
        #expect(throws: ServerError.self) { try Connection(pool.address) }
        try server.start()
        let count = try pool.withConnection { client throws(ServerError) in
            try client.firstText("SELECT count(*)::text FROM t")
        }
        #expect(count == "2")
        #expect(pool.statistics.lost == 1 && pool.statistics.opened == 2)
        #expect(server.log.contains("database system was not properly shut down"))
        server.stop()
        #expect(throws: (any Error).self) { try server.administer("SELECT 1") }
    }
}
