import ContextHistory
import CoreDataModel
import CoreDataStore
import Foundation
import LabFiles
import LabScenario
import Synchronization

/// A source of stores that scenario files cannot name, such as a server. Modules above the runner
/// register their hosts in ``StoreHosts``.
package protocol StoreHost: Sendable {
    /// The name for reports, such as `postgresql:serializable`.
    var name: String { get }
    /// Whether contexts are pinned to the current query generation, because the store then reads
    /// and saves in one transaction.
    var pinsContexts: Bool { get }
    /// The reason why the host cannot run the SQL of scenarios; nil if it can.
    var sqlRefusal: String? { get }

    /// Returns the place of a new, empty store for one cell.
    func makePlace() throws(CoreDataError) -> any HostedPlace
}

/// The place of one hosted store.
package protocol HostedPlace: AnyObject, Sendable {
    /// The store's type, whose kind has the trait ``StoreTraits/rewinding``.
    var type: String { get }
    var url: URL { get }

    /// Called once, after the store was created.
    func prepare(_ layout: ModelLayout) throws(CoreDataError)
    /// Runs a statement that uses the names of tables in SQLite, and returns its first column.
    ///
    /// - Parameter outsider: the number of another process; nil for the lab, which only reads.
    func answer(_ sql: String, by outsider: Int?) throws(StatementProblem) -> ObservedValue
    /// Closes the connections of other processes.
    func endOutsiders()
    /// Removes the store. The coordinators must be closed.
    func remove()
}

/// The error of a statement that a scenario runs without contexts.
package struct StatementProblem: Error {
    /// The database and its error code, such as `SQLite error 5`.
    package let source: String
    /// The value of the step's status.
    package let code: Int
    package let message: String

    package init(source: String, code: Int, message: String) {
        self.source = source
        self.code = code
        self.message = message
    }
}

/// The store on which a command runs scenarios, in place of the store of their files.
package enum StoreChoice: Sendable {
    case sqlite(StoreSpec.Kind)
    case host(any StoreHost)
}

/// The hosts that the option `--store` can name.
package enum StoreHosts {
    /// Creates a host.
    ///
    /// - Parameter level: the text after the colon; nil without a colon.
    package typealias Maker = @Sendable (_ level: String?) throws(InputErrors) -> any StoreHost

    private static let makers = Mutex<[(name: String, form: String, make: Maker)]>([])

    /// Registers a host.
    ///
    /// - Parameters:
    ///   - name: the text before the colon.
    ///   - form: the text for messages, such as `postgresql[:LEVEL]`.
    package static func register(_ name: String, form: String, _ make: @escaping Maker) {
        makers.withLock { $0.append((name, form, make)) }
    }

    /// Reads the value of the option `--store`, and starts its host.
    package static func choice(_ text: String) throws(InputErrors) -> StoreChoice {
        if let kind = StoreSpec.Kind(rawValue: text), kind.isSQLite { return .sqlite(kind) }
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        let known = makers.withLock { $0 }
        guard let maker = known.first(where: { $0.name == parts.first }) else {
            let forms =
                StoreSpec.Kind.allCases.filter(\.isSQLite).map(\.rawValue) + known.map(\.form)
            throw InputErrors([
                InputError(
                    file: "--store \(text)", problem: "the store is unknown",
                    remedy: "write one of \(forms.joined(separator: ", "))")
            ])
        }
        return .host(try maker.make(parts.count > 1 ? parts[1] : nil))
    }
}

extension StoreChoice {
    var host: (any StoreHost)? {
        if case .host(let host) = self { host } else { nil }
    }

    package var pinsContexts: Bool { host?.pinsContexts ?? false }
}
