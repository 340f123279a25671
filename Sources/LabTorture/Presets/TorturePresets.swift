import LabResults

extension TortureCampaign {
    /// All attacks in the order in which they run, with the most and the least attempts of each.
    ///
    /// - Parameter tool: the path of the program that runs as a victim's process.
    package static func plans(tool: String) -> [Plan] {
        CrashParts.plans(tool: tool) + FuzzTargets.plans(tool: tool)
            + [EvaluatorsPart.plan, RandomProgramsPart.plan, RandomScenariosPart.plan]
    }
}

extension TorturePreset {
    /// Seconds for all attacks together; nil if all attempts run.
    package var timeBudget: Double? {
        switch self {
        case .short: 60
        case .night: nil
        }
    }
}
