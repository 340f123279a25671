import Foundation
import TortureCampaigns

/// The campaigns in which processes are killed, disks fail and power is cut.
package enum CrashParts {
    /// The plans of the campaigns. A victim is a process that a campaign kills or disturbs. Each
    /// plan attempts at least one victim of each kind, or one round of each task. A weight of 1 is
    /// about one second of the preset `short`.
    package static func plans(tool: String) -> [TortureCampaign.Plan] {
        let workshop = CrashWorkshop(tool: tool)
        var (kills, faults) = (
            KillCampaign(workshop: workshop), FaultCampaign(workshop: workshop)
        )
        if let chosen {
            kills.kinds = kills.kinds.filter(chosen.contains)
            faults.kinds = faults.kinds.filter(chosen.contains)
        }
        let (cuts, crowds) = (
            PowerCutCampaign(workshop: workshop), CrowdCampaign(workshop: workshop)
        )
        return [
            TortureCampaign.Plan(kills, attempts: 6_000, floor: kills.kinds.count, weight: 4),
            TortureCampaign.Plan(faults, attempts: 1_500, floor: faults.kinds.count, weight: 3),
            TortureCampaign.Plan(cuts, attempts: 300, floor: cuts.kinds.count, weight: 3),
            TortureCampaign.Plan(crowds, attempts: 400, floor: crowds.tasks.count, weight: 2),
        ]
    }

    /// The kinds of victims that the environment variable `FAULTLINE_VICTIMS` selects; nil for all
    /// kinds.
    private static var chosen: Set<VictimKind>? {
        let names = ProcessInfo.processInfo.environment["FAULTLINE_VICTIMS"] ?? ""
        let kinds = names.split(separator: ",").compactMap { VictimKind(rawValue: String($0)) }
        return kinds.isEmpty ? nil : Set(kinds)
    }
}
