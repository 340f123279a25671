import CoreDataEngine
import LabScenario

/// Merge policies by their names in scenario files. Suites have one; tests register more.
public struct PolicyRegistry: Sendable {
    /// Creates a policy from the argument after its name in a file.
    public typealias Maker = @Sendable (_ argument: String) -> NSMergePolicy

    private var makers: [String: Maker]

    /// Creates a registry of Core Data's five policies and those of the lab.
    public init() {
        makers = [
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
    public mutating func register(_ name: String, _ maker: @escaping Maker) {
        makers[name] = maker
    }

    package var names: [String] { makers.keys.sorted() }

    /// The policy; nil for an unregistered name.
    func policy(_ name: PolicyName) -> NSMergePolicy? { makers[name.name]?(name.argument) }
}
