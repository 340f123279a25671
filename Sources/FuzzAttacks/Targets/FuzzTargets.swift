import TortureCampaigns

/// All fuzzed readers.
package enum FuzzTargets {
    /// A target, with the minimum and the maximum number of its inputs.
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

    /// All targets in the order of a campaign.
    package static let all: [Entry] =
        PredicateTargets.all + ModelTargets.all + ArchiveTargets.all + StoreTargets.all
        + IdentityTargets.all + LabTargets.all

    package static func target(_ name: String) throws -> FuzzTarget {
        guard let entry = (all + PlantedFaults.all).first(where: { $0.name == name }) else {
            throw FuzzFailure("unknown target \(name)")
        }
        return try entry.make()
    }

    package static func plans(tool: String) -> [TortureCampaign.Plan] {
        let pool = FuzzPool(tool: tool)
        return all.map { entry in
            TortureCampaign.Plan(
                FuzzPart(entry.name, pool: pool), attempts: entry.most, floor: entry.floor,
                weight: 0.3)
        }
    }
}
