/// All readers that are attacked.
package enum FuzzTargets {
    /// A target, and how many inputs it gets at least and at most.
    package struct Entry: Sendable {
        package let name: String
        let floor: Int
        let most: Int
        let make: @Sendable () throws -> FuzzTarget

        init(
            _ name: String, floor: Int, most: Int,
            make: @escaping @Sendable (String) throws -> FuzzTarget
        ) {
            self.name = name
            self.floor = floor
            self.most = most
            self.make = { try make(name) }
        }
    }

    /// In the order in which a campaign runs them.
    package static let all: [Entry] =
        PredicateTargets.all + ModelTargets.all + ArchiveTargets.all + StoreTargets.all
        + IdentityTargets.all + LabTargets.all

    /// The target of a name.
    package static func target(_ name: String) throws -> FuzzTarget {
        guard let entry = (all + PlantedFaults.all).first(where: { $0.name == name }) else {
            throw FuzzFailure("there is no target \(name)")
        }
        return try entry.make()
    }

    /// The attacks on readers of untrusted input.
    static func plans(tool: String) -> [TortureCampaign.Plan] {
        let pool = FuzzPool(tool: tool)
        return all.map { entry in
            TortureCampaign.Plan(
                FuzzPart(entry.name, pool: pool), attempts: entry.most, floor: entry.floor,
                weight: 0.3)
        }
    }
}
