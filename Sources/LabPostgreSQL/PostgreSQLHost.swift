import CoreDataPostgreSQL
import CoreDataPostgreSQLClient
import CoreDataStore
import Foundation
import LabFiles
import LabRunner
import LocalPostgreSQL
import Synchronization

/// Stores for scenarios in schemas of a PostgreSQL database. Each cell has its own schema.
///
/// The database is in a server that this process starts in a temporary folder, or it is the one
/// whose URL is in `FAULTLINE_POSTGRESQL`. The lab runs the SQL of scenarios only in its own
/// server, as a role that can change rows only through views.
package final class PostgreSQLHost: StoreHost {
    /// The variable with the URL of the user's database.
    static let variable = "FAULTLINE_POSTGRESQL"
    static let word = "postgresql"

    /// Makes the option `--store` accept stores on PostgreSQL.
    package static func register() {
        let levels = Connection.Isolation.allCases.map(\.word).joined(separator: ", ")
        StoreHosts.register(word, form: "\(word)[:LEVEL], with a level of \(levels)") {
            (level) throws(InputErrors) in
            try PostgreSQLHost(level: level, ProcessInfo.processInfo.environment[variable])
        }
    }

    package let name: String
    let isolation: Connection.Isolation
    private let base: String
    /// The server of this process; nil for a database of the user.
    private let server: LocalServer?

    /// The number of schemas that the hosts of the process have created.
    private static let count = Atomic(0)
    /// The server that all hosts of the process share.
    private static let shared = Mutex<LocalServer?>(nil)

    /// - Parameters:
    ///   - level: the level of isolation; nil for the default one.
    ///   - url: the user's database; nil to start a server.
    package init(level: String?, _ url: String?) throws(InputErrors) {
        let level = level ?? Connection.Isolation.readCommitted.word
        let option = "--store \(Self.word):\(level)"
        guard let isolation = Connection.Isolation.allCases.first(where: { $0.word == level })
        else {
            let levels = Connection.Isolation.allCases.map(\.word).joined(separator: ", ")
            throw Self.problem(option, "the level is unknown", "write one of \(levels)")
        }
        self.isolation = isolation
        name = "\(Self.word):\(level)"
        if let url {
            server = nil
            base = url + (url.contains("?") ? "&" : "?")
            let taken: String?
            do throws(ServerError) {
                let address = try ServerAddress(url)
                taken = ["schema", "isolation"].first { address.options[$0] != nil }
                _ = try Connection(address)
            } catch {
                throw Self.problem(
                    Self.variable, "the database cannot be used: \(error)",
                    "correct the URL, or unset \(Self.variable) to use a temporary server")
            }
            if let taken {
                throw Self.problem(
                    Self.variable, "the URL has the option '\(taken)'",
                    "remove it; each cell has its own schema, and --store names the level")
            }
        } else {
            let server = try Self.sharedServer(option)
            self.server = server
            base = server.address(ofDatabase: "postgres") + "&"
        }
    }

    private static func problem(
        _ place: String, _ problem: String, _ remedy: String
    ) -> InputErrors {
        InputErrors([InputError(file: place, problem: problem, remedy: remedy)])
    }

    private static func sharedServer(_ option: String) throws(InputErrors) -> LocalServer {
        guard LocalServer.isAvailable else {
            throw problem(
                option, "this machine has no PostgreSQL server",
                "\(LocalServer.remedy), or set \(variable) to the URL of a database")
        }
        do {
            return try shared.withLock { shared in
                if let shared { return shared }
                let server = try LocalServer(settings: ["autovacuum": "on"])
                try prepare(server)
                shared = server
                return server
            }
        } catch {
            throw problem(
                option, "the server cannot be started: \(error)",
                "free space in the temporary folder, or set \(variable) to the URL of a database")
        }
    }

    /// Creates the role that runs the SQL of scenarios.
    private static func prepare(_ server: LocalServer) throws {
        let connection = try Connection(ServerAddress(server.address(ofDatabase: "postgres")))
        try connection.runScript("CREATE ROLE \(guest) LOGIN")
    }

    static let guest = "faultline_guest"

    package var sqlRefusal: String? {
        server == nil
            ? "the scenario runs SQL, which the lab runs only in a server of its own" : nil
    }

    package var pinsContexts: Bool { isolation != .readCommitted }

    package func makePlace() throws(CoreDataError) -> any HostedPlace {
        let number = Self.count.add(1, ordering: .relaxed).newValue
        return try PostgreSQLPlace(schema: "faultline_lab_\(getpid())_\(number)", host: self)
    }

    /// The address of a schema's store.
    func address(of schema: String) -> String {
        "\(base)schema=\(schema)&isolation=\(isolation.word)"
    }

    var administration: String { String(base.dropLast()) }

    /// The address for the SQL of scenarios.
    var guestAddress: String? { server?.address(ofDatabase: "postgres", user: Self.guest) }
}
