import CoreDataPostgreSQLClient
import Foundation
import PostgreSQLTestSupport
import Testing

@Suite(.needsPostgreSQL) struct CopyTests {
    private let database: TestDatabase
    private let connection: Connection

    init() throws {
        database = try TestServer.shared().makeDatabase()
        connection = try database.connect()
        try connection.runScript(
            """
            CREATE TABLE t (a bigint PRIMARY KEY, b text, c bytea, d numeric, e uuid, f float8,
                g boolean, h int, i smallint)
            """)
    }

    private static let sql = "COPY t FROM STDIN (FORMAT binary)"

    private func count() throws -> String? {
        try connection.firstText("SELECT count(*)::text FROM t")
    }

    @Test func `rows of every kind are copied`() throws {
        let id = UUID()
        let rows = try connection.copy(Self.sql, columnCount: 9) { writer throws(ServerError) in
            try writer.beginRow()
            writer.append(int8: 1)
            try writer.append(text: "ü")
            try writer.append(data: Data([0, 255]))
            writer.append(numeric: Decimal(string: "-0.1") ?? 0)
            writer.append(uuid: id)
            writer.append(float8: -.infinity)
            writer.append(bool: true)
            writer.append(int4: -5)
            writer.append(int2: 6)
            try writer.beginRow()
            writer.append(int8: 2)
            for _ in 0..<8 { writer.appendNull() }
        }
        #expect(rows == 2)
        let result = try connection.execute("SELECT * FROM t ORDER BY a")
        #expect(result[0, 0].integer == 1)
        #expect(result[0, 1].text == "ü")
        #expect(result[0, 2].data == Data([0, 255]))
        #expect(result[0, 3].decimal == Decimal(string: "-0.1"))
        #expect(result[0, 4].uuid == id)
        #expect(result[0, 5].double == -.infinity)
        #expect(result[0, 6].bool)
        #expect(result[0, 7].integer == -5 && result[0, 8].integer == 6)
        #expect((1..<9).allSatisfy { result[1, $0].isNull })
    }

    @Test func `many rows are sent in pieces`() throws {
        try connection.copy("COPY t (a, b) FROM STDIN (FORMAT binary)", columnCount: 2) {
            writer throws(ServerError) in
            for number in 0..<30_000 {
                try writer.beginRow()
                writer.append(int8: Int64(number))
                try writer.append(text: "row \(number)")
            }
        }
        #expect(try count() == "30000")
        #expect(connection.statistics.statements[.copy] == 1)
    }

    @Test func `an error of the body or the server adds no row`() throws {
        let refused = #expect(throws: ServerError.self) {
            try connection.copy("COPY t (a, b) FROM STDIN (FORMAT binary)", columnCount: 2) {
                writer throws(ServerError) in
                try writer.beginRow()
                writer.append(int8: 1)
                try writer.append(text: "a\0b")
            }
        }
        #expect(refused?.isUnstorableCharacter == true)
        let double = #expect(throws: ServerError.self) {
            try connection.copy("COPY t (a) FROM STDIN (FORMAT binary)", columnCount: 1) {
                writer throws(ServerError) in
                for _ in 0..<2 {
                    try writer.beginRow()
                    writer.append(int8: 1)
                }
            }
        }
        #expect(double?.isUniqueViolation == true)
        #expect(try count() == "0")
    }

    @Test(arguments: ["SELECT 1", "COPY missing FROM STDIN (FORMAT binary)"])
    func `another statement cannot receive rows`(_ sql: String) throws {
        #expect(throws: ServerError.self) {
            try connection.copy(sql, columnCount: 1) { _ throws(ServerError) in }
        }
        #expect(try count() == "0")
    }

    @Test func `a copy without rows from the caller fails`() throws {
        let statement = #expect(throws: ServerError.self) { try connection.execute(Self.sql) }
        #expect(statement?.message.contains("call copy(_:columnCount:_:)") == true)
        let script = #expect(throws: ServerError.self) { try connection.runScript(Self.sql) }
        #expect(script?.message.contains("without data") == true)
        #expect(try count() == "0")
        let output = #expect(throws: ServerError.self) {
            try connection.runScript("COPY t TO STDOUT")
        }
        #expect(output?.message.contains("use SELECT") == true)
    }
}

@Suite(.needsPostgreSQL) struct NotificationTests {
    @Test func `a notification arrives with channel, payload and sender`() throws {
        let database = try TestServer.shared().makeDatabase()
        let (listener, sender) = (try database.connect(), try database.connect())
        try listener.listen(to: "Store \"a\"")
        #expect(try listener.waitForNotifications(milliseconds: 0).isEmpty)
        let channel = Connection.identifier("Store \"a\"")
        try sender.execute("NOTIFY \(channel), 'token 1'")
        let found = try listener.waitForNotifications(milliseconds: nil)
        #expect(found.map(\.channel) == ["Store \"a\""])
        #expect(found.map(\.payload) == ["token 1"])
        #expect(found.map(\.serverProcess) == [sender.serverProcess])
        #expect(listener.statistics.notifications == 1)
    }

    @Test func `notifications that arrive with results are kept`() throws {
        let database = try TestServer.shared().makeDatabase()
        let connection = try database.connect()
        try connection.listen(to: "a")
        try connection.executePipeline([
            PipelinedStatement("NOTIFY a, '1'"), PipelinedStatement("NOTIFY a, '2'"),
        ])
        #expect(connection.isAlive())
        let found = try connection.waitForNotifications(milliseconds: nil)
        #expect(found.map(\.payload) == ["1", "2"])
        #expect(connection.receivedNotifications().isEmpty)
    }

    @Test func `a wait ends when its descriptor is readable`() throws {
        let database = try TestServer.shared().makeDatabase()
        let connection = try database.connect()
        try connection.listen(to: "a")
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
        let waker = pipe.fileHandleForReading.fileDescriptor
        #expect(try connection.waitForNotifications(milliseconds: nil, waker: waker).isEmpty)
    }

    @Test func `a wait ends with an error when the server is lost`() throws {
        let database = try TestServer.shared().makeDatabase()
        let connection = try database.connect()
        try connection.listen(to: "a")
        try database.server.administer("SELECT pg_terminate_backend(\(connection.serverProcess))")
        let error = #expect(throws: ServerError.self) {
            try connection.waitForNotifications(milliseconds: nil)
        }
        #expect(error?.isConnectionLost == true)
        #expect(!connection.isAlive())
    }
}
