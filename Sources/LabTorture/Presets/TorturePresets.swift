import LabResults

extension TortureCampaign {
    /// All attacks in their order, with the maximum and minimum number of attempts of each.
    ///
    /// - Parameter tool: the path of the program that runs as a victim.
    package static func plans(tool: String) -> [Plan] {
        CrashParts.plans(tool: tool) + FuzzTargets.plans(tool: tool)
            + [EvaluatorsPart.plan, RandomProgramsPart.plan, RandomScenariosPart.plan]
    }
}

extension TorturePreset {
    /// The seconds for all attacks together; nil if all attempts run.
    package var timeBudget: Double? {
        switch self {
        case .short: 60
        case .night: nil
        }
    }
}
