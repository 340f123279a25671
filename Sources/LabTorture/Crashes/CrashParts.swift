// Owns the list of the crash campaigns with their sizes.

/// The campaigns in which processes end, disks fail and power goes.
enum CrashParts {
    static func plans(
        _ preset: TorturePreset, tool: String
    ) -> [TortureCampaign.Plan] {
        let workshop = CrashWorkshop(tool: tool)
        switch preset {
        case .short:
            return [TortureCampaign.Plan(KillCampaign(workshop: workshop), attempts: 64)]
        case .night:
            return [TortureCampaign.Plan(KillCampaign(workshop: workshop), attempts: 6_000)]
        }
    }
}
