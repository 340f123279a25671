import CoreDataPostgreSQLClient
import Dispatch
import Foundation
import PostgreSQLTestSupport
import Synchronization
import Testing

@Suite(.needsPostgreSQL) struct ConnectionPoolTests {
    private let database: TestDatabase

    init() throws { database = try TestServer.shared().makeDatabase() }

    private func pool(_ change: (inout ConnectionPool.Limits) -> Void = { _ in }) throws
        -> ConnectionPool
    {
        var limits = ConnectionPool.Limits()
        change(&limits)
        return ConnectionPool(try database.address(), limits: limits)
    }

    @Test func `a returned connection is used again`() throws {
        let pool = try pool()
        let first = try pool.take()
        #expect(pool.statistics.lent == 1)
        let process = first.serverProcess
        try first.execute("SELECT 1")
        pool.giveBack(first)
        #expect(pool.statistics.idle == 1 && pool.statistics.lent == 0)
        #expect(pool.statistics.connections.statements[.select] == 1)
        #expect(try pool.withConnection { $0.serverProcess } == process)
        #expect(pool.statistics.opened == 1)
    }

    @Test func `a transaction that is left open is rolled back`() throws {
        let pool = try pool()
        try pool.withConnection { connection throws(ServerError) in
            try connection.runScript("CREATE TABLE t (a int)")
            try connection.begin()
            try connection.execute("INSERT INTO t VALUES (1)")
        }
        try pool.withConnection { connection throws(ServerError) in
            #expect(!connection.isInTransaction)
            #expect(try connection.firstText("SELECT count(*)::text FROM t") == "0")
        }
        #expect(pool.statistics.opened == 1)
    }

    @Test func `the next user does not see settings, locks and temporary tables`() throws {
        let pool = try pool { $0.size = 1 }
        try pool.withConnection { connection throws(ServerError) in
            try connection.listen(to: "a")
            try connection.runScript(
                "SET search_path = b; CREATE TEMP TABLE t (a int); SELECT pg_advisory_lock(1)")
            #expect(connection.needsReset)
        }
        try pool.withConnection { connection throws(ServerError) in
            #expect(!connection.needsReset)
            #expect(try connection.firstText("SHOW search_path") != "b")
            #expect(try connection.firstText("SHOW client_min_messages") == "warning")
            #expect(try connection.firstText("SELECT to_regclass('pg_temp.t')::text") == nil)
            let channels = "SELECT count(*)::text FROM pg_listening_channels()"
            #expect(try connection.firstText(channels) == "0")
            let locks = """
                SELECT count(*)::text FROM pg_locks
                WHERE locktype = 'advisory' AND pid = pg_backend_pid()
                """
            #expect(try connection.firstText(locks) == "0")
        }
        #expect(pool.statistics.opened == 1)
    }

    @Test func `an exhausted pool reports its limits`() throws {
        let pool = try pool {
            $0.size = 1
            $0.waitMilliseconds = 10
        }
        let taken = try pool.take()
        let error = try #require(throws: ServerError.self) { try pool.take() }
        #expect(error.message.contains("none of the 1 connections"))
        #expect(error.message.contains("raise pool or pool_wait"))
        #expect(!error.isConnectionLost)
        pool.giveBack(taken)
        #expect(try pool.take() === taken)
        #expect(pool.statistics.waits == 1 && pool.statistics.timeouts == 1)
    }

    @Test func `threads share few connections`() throws {
        let pool = try pool { $0.size = 3 }
        try pool.withConnection { connection throws(ServerError) in
            try connection.runScript("CREATE TABLE t (n int); INSERT INTO t VALUES (0)")
        }
        let failures = Mutex<[ServerError]>([])
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            do {
                for _ in 0..<20 {
                    try pool.withConnection { connection throws(ServerError) in
                        try connection.execute("UPDATE t SET n = n + 1")
                    }
                }
            } catch { failures.withLock { $0.append(error as? ServerError ?? .init(client: "")) } }
        }
        #expect(failures.withLock { $0 } == [])
        try pool.withConnection { connection throws(ServerError) in
            #expect(try connection.firstText("SELECT n::text FROM t") == "320")
        }
        #expect(pool.statistics.opened <= 3)
        #expect(pool.statistics.lent == 0)
    }

    @Test func `a connection that was lost while idle is replaced`() throws {
        let pool = try pool()
        let first = try pool.take()
        let process = first.serverProcess
        pool.giveBack(first)
        try database.server.administer("SELECT pg_terminate_backend(\(process), 10000)")
        try pool.withConnection { connection throws(ServerError) in
            #expect(connection.serverProcess != process)
            try connection.execute("SELECT 1")
        }
        #expect(pool.statistics.lost == 1 && pool.statistics.opened == 2)
    }

    @Test func `a connection that is lost in use is not used again`() throws {
        let pool = try pool()
        let server = database.server
        let error = #expect(throws: ServerError.self) {
            try pool.withConnection { connection throws(ServerError) in
                try? server.administer(
                    "SELECT pg_terminate_backend(\(connection.serverProcess), 10000)")
                try connection.execute("SELECT 1")
            }
        }
        #expect(error?.isConnectionLost == true)
        #expect(pool.statistics.lost == 1 && pool.statistics.idle == 0)
        #expect(try pool.withConnection { $0.isAlive() })
    }

    @Test func `an unused connection is closed`() throws {
        let pool = try pool { $0.idleMilliseconds = 1 }
        let process = try pool.withConnection { $0.serverProcess }
        let watching = try database.connect()
        let sql = "SELECT count(*)::text FROM pg_stat_activity WHERE pid = \(process)"
        while try watching.firstText(sql) != "0" {}
        #expect(pool.statistics.idle == 0)
    }

    @Test func `a server that never answered is not tried again`() throws {
        let address = try ServerAddress(
            "postgresql:///shop?host=\(database.server.socketFolder)-no")
        let pool = ConnectionPool(address)
        let error = try #require(throws: ServerError.self) { try pool.take() }
        #expect(error.sqlState == "08001")
        #expect(pool.statistics.failures == 1 && pool.statistics.lent == 0)
    }

    @Test func `a server that starts again is reached again`() throws {
        let server = try TestServer()
        let pool = ConnectionPool(try server.address(ofDatabase: "postgres"))
        _ = try pool.withConnection { $0.serverProcess }
        server.stop()
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            // The first attempt must fail before the server starts.
            while pool.statistics.failures == 0 {}
            try? server.start()
        }
        #expect(try pool.withConnection { $0.isAlive() })
        #expect(pool.statistics.failures > 0 && pool.statistics.lost == 1)
        group.wait()
    }

    @Test func `a closed pool refuses calls and ends waits`() throws {
        let pool = try pool { $0.size = 1 }
        let taken = try pool.take()
        let group = DispatchGroup()
        let waiting = Mutex<ServerError?>(nil)
        DispatchQueue.global().async(group: group) {
            do { _ = try pool.take() } catch {
                waiting.withLock { $0 = error as? ServerError }
            }
        }
        while pool.statistics.waits == 0 {}
        pool.close()
        group.wait()
        #expect(waiting.withLock { $0?.message.contains("are closed") } == true)
        pool.giveBack(taken)
        #expect(pool.statistics.idle == 0 && pool.statistics.lent == 0)
        let error = #expect(throws: ServerError.self) { try pool.take() }
        #expect(error?.message.contains("open the store again") == true)
    }
}
