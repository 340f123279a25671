/// All readers that are attacked.
package enum FuzzTargets {
    /// A target, and how many inputs it gets in which preset.
    package struct Entry: Sendable {
        package let name: String
        let short: Int
        let night: Int
        let make: @Sendable () throws -> FuzzTarget

        init(
            _ name: String, short: Int, night: Int,
            make: @escaping @Sendable (String) throws -> FuzzTarget
        ) {
            self.name = name
            self.short = short
            self.night = night
            self.make = { try make(name) }
        }
    }

    /// In the order in which a campaign runs them.
    package static let all: [Entry] =
        PredicateTargets.all + ModelTargets.all + StoreTargets.all + IdentityTargets.all
        + LabTargets.all

    /// The target of a name.
    package static func target(_ name: String) throws -> FuzzTarget {
        guard let entry = (all + PlantedFaults.all).first(where: { $0.name == name }) else {
            throw FuzzFailure("there is no target \(name)")
        }
        return try entry.make()
    }
}

extension TorturePreset {
    /// The attacks on readers of untrusted input.
    func fuzzing(tool: String) -> [TortureCampaign.Plan] {
        let pool = FuzzPool(tool: tool)
        return FuzzTargets.all.map { entry in
            TortureCampaign.Plan(
                FuzzPart(entry.name, pool: pool),
                attempts: self == .short ? entry.short : entry.night)
        }
    }
}
