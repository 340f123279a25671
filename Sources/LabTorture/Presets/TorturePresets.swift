/// Which attacks each preset has.
extension TorturePreset {
    /// The parts with their numbers of attempts, in the order in which they run.
    ///
    /// - Parameter tool: the path of the program that runs as a victim's process.
    package func plans(tool: String) -> [TortureCampaign.Plan] {
        CrashParts.plans(self, tool: tool) + fuzzing(tool: tool) + [RandomScenariosPart.plan(self)]
    }
}
