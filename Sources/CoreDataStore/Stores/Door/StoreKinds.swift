import Foundation
import Synchronization

/// The registered kinds of stores; one table for the process.
///
/// The built-in kinds are registered from the start. Any module can register others.
package enum StoreKinds {
    private static let table = Mutex<[any StoreKind]>([
        SQLiteKind(), WholeFileKind(BinaryStoreFormat()), WholeFileKind(XMLStoreFormat()),
        MemoryKind(),
    ])

    /// All kinds in the order of their registration.
    package static var all: [any StoreKind] { table.withLock { $0 } }

    /// The kind of stores of a type; nil if the type is not registered. The type is compared
    /// without regard to case.
    package static func named(_ type: String) -> (any StoreKind)? {
        all.first { $0.type.caseInsensitiveCompare(type) == .orderedSame }
    }

    /// Kinds that register themselves if the program imports their module.
    private static let optional = [
        (type: "PostgreSQL", schemes: ["postgresql", "postgres"], module: "CoreDataPostgreSQL")
    ]

    /// The advice for a URL whose kind of stores is not registered; nil for another scheme.
    static func advice(forScheme scheme: String?) -> String? {
        guard let scheme = scheme?.lowercased(),
            let kind = optional.first(where: { $0.schemes.contains(scheme) })
        else { return nil }
        return named(kind.type) == nil
            ? "Import \(kind.module) to open the store." : "Use the store type '\(kind.type)'."
    }

    /// The kind of stores of a type.
    ///
    /// - Throws: 134000 if the type is not registered.
    package static func required(_ type: String) throws(CoreDataError) -> any StoreKind {
        if let kind = named(type) { return kind }
        let module = optional.first { $0.type.caseInsensitiveCompare(type) == .orderedSame }?.module
        if let module {
            throw CoreDataError(
                .storeInvalidType,
                "The store type '\(type)' is unknown. Import \(module) to use it.")
        }
        throw CoreDataError(
            .storeInvalidType,
            "The store type '\(type)' is unknown. Use one of"
                + " \(all.map(\.type).joined(separator: ", ")).")
    }

    /// The kind of the store at a URL. SQLite is the default.
    package static func kind(at url: URL) throws(CoreDataError) -> any StoreKind {
        for kind in all where try kind.claims(url) { return kind }
        return SQLiteKind()
    }

    /// The type of the stores at a URL that is not a file URL; nil for any other URL.
    static func type(ofAddress url: URL?) -> String? {
        guard let url, !url.isFileURL, url.scheme != nil else { return nil }
        return all.first { (try? $0.claims(url)) == true }?.type
    }

    /// Registers a kind.
    ///
    /// - Throws: `invalidArgument` if the type is already registered.
    package static func register(_ kind: any StoreKind) throws(CoreDataError) {
        let isFree = table.withLock { kinds in
            let isFree = !kinds.contains {
                $0.type.caseInsensitiveCompare(kind.type) == .orderedSame
            }
            if isFree { kinds.append(kind) }
            return isFree
        }
        guard isFree else {
            throw CoreDataError(
                .invalidArgument,
                "The store type '\(kind.type)' is already registered. Choose another name.")
        }
    }
}
