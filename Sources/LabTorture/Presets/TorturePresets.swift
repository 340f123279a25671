import CrashAttacks
import FuzzAttacks
import LabResults
import TortureCampaigns

extension TortureCampaign {
    /// All parts of a campaign, in order.
    ///
    /// - Parameter tool: the path of the program that runs as a victim (a process that is killed or
    ///   disturbed).
    package static func plans(tool: String) -> [Plan] {
        CrashParts.plans(tool: tool) + FuzzTargets.plans(tool: tool)
            + [EvaluatorsPart.plan, RandomProgramsPart.plan, RandomScenariosPart.plan]
    }
}

extension TorturePreset {
    /// The time limit in seconds for all parts together; nil to run all attempts.
    package var timeBudget: Double? {
        switch self {
        case .short: 60
        case .night: nil
        }
    }
}
