import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Synchronization

/// The request for which a named section cache was created. `ResultsTracker` compares it with the
/// request of each fetch.
///
/// The sections are not stored, because they are computed from the fetched objects.
struct ResultsConfiguration: Equatable {
    private let text: String

    private static let kept = Mutex<[String: ResultsConfiguration]>([:])

    init(_ scope: ResultsScope) {
        let keys = scope.sectionKeys?.joined(separator: ".") ?? ""
        text =
            "\(scope.entity.name)|\(scope.includesSubentities)|\(keys)"
            + "|\(scope.predicate?.predicateFormat ?? "")|\(scope.sortDescriptors)"
    }

    /// Throws an error if another request is stored under the name.
    static func check(
        _ configuration: ResultsConfiguration, _ name: String
    ) throws(CoreDataError) {
        let known = kept.withLock { $0[name] }
        guard let known, known != configuration else { return }
        throw CoreDataError(
            .invalidArgument,
            "The persistent cache of section information does not match the current"
                + " configuration: the fetch request, its predicate, its sort descriptors or the"
                + " section key path of the cache '\(name)' have changed. Call"
                + " deleteCache(withName:) first, or use no cache.")
    }

    static func keep(_ configuration: ResultsConfiguration, _ name: String) {
        kept.withLock { $0[name] = configuration }
    }

    static func forget(_ name: String?) {
        kept.withLock { kept in
            guard let name else { return kept.removeAll() }
            kept[name] = nil
        }
    }
}
