/// The campaigns in which processes end, disks fail and power goes.
enum CrashParts {
    static func plans(
        _ preset: TorturePreset, tool: String
    ) -> [TortureCampaign.Plan] {
        let workshop = CrashWorkshop(tool: tool)
        let (kills, faults) = (
            KillCampaign(workshop: workshop), FaultCampaign(workshop: workshop)
        )
        let (cuts, crowds) = (
            PowerCutCampaign(workshop: workshop), CrowdCampaign(workshop: workshop)
        )
        switch preset {
        case .short:
            return [
                TortureCampaign.Plan(kills, attempts: 64),
                TortureCampaign.Plan(faults, attempts: 48),
                TortureCampaign.Plan(cuts, attempts: 15),
                TortureCampaign.Plan(crowds, attempts: 8),
            ]
        case .night:
            return [
                TortureCampaign.Plan(kills, attempts: 6_000),
                TortureCampaign.Plan(faults, attempts: 1_500),
                TortureCampaign.Plan(cuts, attempts: 300),
                TortureCampaign.Plan(crowds, attempts: 400),
            ]
        }
    }
}
