import CoreDataPostgreSQLClient
import Foundation
import LabFiles
import Synchronization

/// A PostgreSQL server in a temporary folder, which only a Unix socket reaches.
///
/// A watching process stops the server and removes the folder when this process ends for any
/// reason. If the watching process is killed too, the next process removes the folder.
package final class LocalServer: Sendable {
    /// Whether the machine has the programs of a server, and libpq.
    package static let isAvailable =
        ServerPrograms.installed != nil && (try? Library.load()) != nil

    /// The advice for a machine without a server.
    package static let remedy =
        "install PostgreSQL 15 or later and libpq ('postgresql' and"
        + " 'libpq5' on Debian)"

    private let programs: ServerPrograms
    private let folder: TemporaryFolder
    private let settings: [String: String]
    private let watcher = Mutex<ServerWatcher?>(nil)

    /// Creates the files of a server and starts it.
    ///
    /// - Parameters:
    ///   - settings: settings of the server, which replace the default ones.
    package init(settings: [String: String] = [:]) throws {
        guard let programs = ServerPrograms.installed else {
            throw ServerProblem("this machine has no PostgreSQL server; \(Self.remedy)")
        }
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
    }

    /// Stops the server as if it had crashed: clients are disconnected, and the next start
    /// recovers.
    package func stop() {
        watcher.withLock { watcher in
            watcher?.stop()
            watcher = nil
        }
    }

    /// Kills all processes of the server with SIGKILL.
    package func kill() {
        watcher.withLock { watcher in
            watcher?.kill()
            watcher = nil
        }
    }

    /// The text that the server has logged.
    package var log: String {
        (try? String(contentsOfFile: "\(folder.path)/log", encoding: .utf8)) ?? ""
    }

    /// The folder of the server's socket.
    package var socketFolder: String { "\(folder.path)/socket" }

    /// The address of a database as a URL.
    ///
    /// - Parameters:
    ///   - user: the role; the server asks for no password.
    ///   - options: options such as `schema=library`.
    package func address(
        ofDatabase name: String, user: String = "postgres", _ options: [String] = []
    ) -> String {
        let items = ["host=\(socketFolder)", "user=\(user)"] + options
        return "postgresql:///\(name)?\(items.joined(separator: "&"))"
    }
}
