import CoreDataPostgreSQLClient
import Foundation
import LabFiles
import Synchronization
import Testing

/// A PostgreSQL server in a temporary folder, which only a Unix socket reaches.
///
/// A watching process stops the server and removes the folder when this process ends for any
/// reason. If the watching process is killed too, the next process removes the folder.
package final class TestServer: Sendable {
    /// Whether the machine has the programs of a server, and libpq.
    package static let isAvailable =
        ServerPrograms.installed != nil && (try? Library.load()) != nil

    /// The reason why tests are skipped, with the remedy.
    package static let remedy =
        "these tests need PostgreSQL 15 or later: install 'postgresql' and 'libpq5'"

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

    private let programs: ServerPrograms
    private let folder: TemporaryFolder
    private let settings: [String: String]
    private let watcher = Mutex<ServerWatcher?>(nil)
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
        guard let programs = ServerPrograms.installed else { throw ServerProblem(Self.remedy) }
        self.programs = programs
        let folder = try TemporaryFolder("pg", in: Self.base)
        self.folder = folder
        self.settings = Self.quickSettings.merging(settings) { $1 }
        try Self.prepare(folder.path, programs)
        _ = try ServerPrograms.output(
            of: programs.command(
                "initdb",
                [
                    "--pgdata", "\(folder.path)/data", "--username", "postgres", "--auth", "trust",
                    "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync", "--no-instructions",
                ]))
        try start()
    }

    deinit { stop() }

    /// Settings with which a killed process loses no commit, but a crash of the machine may.
    private static let quickSettings = [
        "fsync": "off", "full_page_writes": "off", "listen_addresses": "", "port": "5432",
        "shared_buffers": "32MB", "max_connections": "100", "autovacuum": "off",
        "max_prepared_transactions": "10",
    ]

    /// The temporary folder, or another one if the server's user cannot reach that one.
    private static var base: String? {
        guard ServerPrograms.installed?.owner != nil else { return nil }
        var path = URL(fileURLWithPath: TemporaryFolder.base).resolvingSymlinksInPath().path
        while path != "/" {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IXOTH != 0 else { return "/var/tmp" }
            path = (path as NSString).deletingLastPathComponent
        }
        return nil
    }

    private static func prepare(_ path: String, _ programs: ServerPrograms) throws {
        guard let owner = programs.owner else {
            try FileManager.default.createDirectory(
                atPath: "\(path)/socket", withIntermediateDirectories: false)
            return
        }
        chmod(path, 0o711)
        for name in ["data", "socket"] {
            mkdir("\(path)/\(name)", 0o700)
            guard chown("\(path)/\(name)", owner.user, owner.group) == 0 else {
                throw ServerProblem("the folder \(path) cannot be passed to the server's user")
            }
        }
        chmod("\(path)/socket", 0o711)
    }

    // MARK: Running

    /// Starts the server after ``kill()`` or ``stop()``, and waits until it accepts connections.
    package func start() throws {
        try watcher.withLock { watcher in
            guard watcher == nil else { return }
            let options = settings.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0)=\($1)"] }
            watcher = try ServerWatcher(
                folder: folder.path,
                command: programs.command(
                    "postgres", ["-D", "\(folder.path)/data", "-k", socketFolder] + options))
        }
        let connection = try Connection(address(ofDatabase: "postgres"))
        administration.withLock { $0 = connection }
    }

    /// Stops the server as if it had crashed: clients are disconnected, and the next start
    /// recovers.
    package func stop() {
        administration.withLock { $0 = nil }
        watcher.withLock { watcher in
            watcher?.stop()
            watcher = nil
        }
    }

    /// Kills all processes of the server with SIGKILL.
    package func kill() {
        administration.withLock { $0 = nil }
        watcher.withLock { watcher in
            watcher?.kill()
            watcher = nil
        }
    }

    /// The text that the server has logged.
    package var log: String {
        (try? String(contentsOfFile: "\(folder.path)/log", encoding: .utf8)) ?? ""
    }

    // MARK: Databases

    /// The folder of the server's socket.
    package var socketFolder: String { "\(folder.path)/socket" }

    /// The address of a database, with options such as `schema=library`.
    package func address(
        ofDatabase name: String, _ options: String...
    ) throws(ServerError) -> ServerAddress {
        let items = ["host=\(socketFolder)", "user=postgres"] + options
        return try ServerAddress("postgresql:///\(name)?\(items.joined(separator: "&"))")
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
