import CoreDataEngine
import LabScenario

/// Merge policies by their names in scenario files. Programs can register more.
public struct PolicyRegistry: Sendable {
    /// Creates a policy from the argument after its name in a file.
    public typealias Factory = @Sendable (_ argument: String) -> NSMergePolicy

    private var factories: [String: Factory]

    /// Creates a registry of Core Data's five policies and of the lab's policies.
    public init() {
        factories = [
            "error": { _ in .error },
            "storeTrump": { _ in .mergeByPropertyStoreTrump },
            "objectTrump": { _ in .mergeByPropertyObjectTrump },
            "overwrite": { _ in .overwrite },
            "rollback": { _ in .rollback },
            "recount": { RecountRule($0).map(RecountPolicy.init) ?? .error },
            "newest": { NewestPolicy($0) },
            "backfill-nils": { _ in BackfillNilsPolicy() },
            "backfill-peers": { _ in BackfillNilsPolicy(includesPeers: true) },
        ]
    }

    /// Adds a policy under a name, or replaces one.
    public mutating func register(_ name: String, _ factory: @escaping Factory) {
        factories[name] = factory
    }

    package var names: [String] { factories.keys.sorted() }

    func policy(_ name: PolicyName) -> NSMergePolicy? { factories[name.name]?(name.argument) }
}
