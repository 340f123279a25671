import CoreDataPostgreSQLClient
import Foundation
import LocalPostgreSQL
import Synchronization
import Testing

/// A PostgreSQL server in a temporary folder, with databases for tests.
package final class TestServer: Sendable {
    /// Whether the machine has the programs of a server, and libpq.
    package static var isAvailable: Bool { LocalServer.isAvailable }

    /// The reason why tests are skipped, with the remedy.
    package static var remedy: String { "these tests need a server: \(LocalServer.remedy)" }

    private static let sharedServer = Mutex<TestServer?>(nil)

    /// The server that most tests of the process share. It is started at the first call.
    package static func shared() throws -> TestServer {
        try sharedServer.withLock { server in
            if let server { return server }
            let made = try TestServer()
            server = made
            return made
        }
    }

    private let server: LocalServer
    private let databaseCount = Atomic(0)
    /// The databases of tests that have ended. Emptying one is faster than creating one.
    private let unusedDatabases = Mutex<[String]>([])
    /// The connection that creates and removes databases.
    private let administration = Mutex<Connection?>(nil)

    /// Creates the files of a server and starts it.
    ///
    /// - Parameters:
    ///   - settings: settings of the server, which replace the ones for tests.
    package init(settings: [String: String] = [:]) throws {
        server = try LocalServer(settings: settings)
        try connect()
    }

    // MARK: Running

    /// Starts the server after ``kill()`` or ``stop()``, and waits until it accepts connections.
    package func start() throws {
        try server.start()
        try connect()
    }

    private func connect() throws {
        let connection = try Connection(address(ofDatabase: "postgres"))
        administration.withLock { $0 = connection }
    }

    /// Stops the server as if it had crashed: clients are disconnected, and the next start
    /// recovers.
    package func stop() {
        administration.withLock { $0 = nil }
        server.stop()
    }

    /// Kills all processes of the server with SIGKILL.
    package func kill() {
        administration.withLock { $0 = nil }
        server.kill()
    }

    /// The text that the server has logged.
    package var log: String { server.log }

    // MARK: Databases

    /// The folder of the server's socket.
    package var socketFolder: String { server.socketFolder }

    /// The address of a database, with options such as `schema=library`.
    package func address(
        ofDatabase name: String, _ options: String...
    ) throws(ServerError) -> ServerAddress {
        try ServerAddress(server.address(ofDatabase: name, options))
    }

    /// Returns an empty database, which no other test uses until the object is released.
    package func makeDatabase() throws -> TestDatabase {
        if let name = unusedDatabases.withLock({ $0.popLast() }) {
            try empty(name)
            return TestDatabase(name, self)
        }
        let number = databaseCount.add(1, ordering: .relaxed).newValue
        let name = "test\(number)"
        try administer("CREATE DATABASE \(name) TEMPLATE template0")
        return TestDatabase(name, self)
    }

    /// Disconnects the clients of a database and removes its schemas.
    private func empty(_ name: String) throws {
        try Connection(address(ofDatabase: name)).runScript(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid();
            DO $$
                DECLARE name text;
                BEGIN
                    FOR name IN SELECT nspname FROM pg_namespace
                        WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
                    LOOP
                        EXECUTE format('DROP SCHEMA %I CASCADE', name);
                    END LOOP;
                END
            $$;
            CREATE SCHEMA public;
            GRANT USAGE ON SCHEMA public TO PUBLIC
            """)
    }

    fileprivate func takeBack(_ name: String) { unusedDatabases.withLock { $0.append(name) } }

    /// Runs a statement in the database `postgres`.
    package func administer(_ sql: String) throws {
        try administration.withLock { connection in
            guard let connection else { throw ServerProblem("the server does not run") }
            try connection.execute(sql)
        }
    }
}

/// A database that another test can use after the object is released.
package final class TestDatabase: Sendable {
    package let name: String
    package let server: TestServer

    init(_ name: String, _ server: TestServer) {
        self.name = name
        self.server = server
    }

    deinit { server.takeBack(name) }

    /// The address of the database, with options such as `schema=library`.
    package func address(_ options: String...) throws(ServerError) -> ServerAddress {
        let items = ["host=\(server.socketFolder)", "user=postgres"] + options
        return try ServerAddress("postgresql:///\(name)?\(items.joined(separator: "&"))")
    }

    /// Opens a connection to the database.
    package func connect(
        _ options: Connection.Options = Connection.Options()
    ) throws(ServerError) -> Connection { try Connection(address(), options: options) }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test on a machine without a server.
    package static var needsPostgreSQL: Self {
        .enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.remedy))
    }
}
