/// Which attacks run, and how often.
package enum TorturePreset: String, CaseIterable, Sendable {
    /// About two minutes; part of what every change must pass.
    case short
    /// Hours; before a release.
    case night

    /// The parts with their numbers of attempts, in the order in which they run.
    ///
    /// - Parameter tool: the path of the program that runs as a victim's process.
    package func plans(tool: String) -> [TortureCampaign.Plan] {
        CrashParts.plans(self, tool: tool) + fuzzing(tool: tool) + [RandomScenariosPart.plan(self)]
    }
}
