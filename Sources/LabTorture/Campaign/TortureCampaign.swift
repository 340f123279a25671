import LabResults

/// Runs attacks slice by slice and keeps the report up to date, so that a stopped campaign goes on.
package struct TortureCampaign {
    /// How many attempts of which part.
    package struct Plan: Sendable {
        package let part: any TorturePart
        package let attempts: Int
        /// The number of the first attempt.
        package let first: Int

        package init(_ part: any TorturePart, attempts: Int, first: Int = 0) {
            self.part = part
            self.attempts = attempts
            self.first = first
        }
    }

    /// How many states of its report a long campaign has.
    private static let slicesOfPart = 100

    package let plans: [Plan]
    /// Called after each slice, to keep what was done.
    package let keep: (TortureReport) throws -> Void
    package let progress: ProgressSink

    package init(
        _ plans: [Plan], progress: @escaping ProgressSink = { _ in },
        keep: @escaping (TortureReport) throws -> Void = { _ in }
    ) {
        self.plans = plans
        self.keep = keep
        self.progress = progress
    }

    /// Runs what the report does not have yet.
    ///
    /// - Parameter report: what was done before with this seed; a part that it lacks is added, and
    ///   one that is planned for more attempts goes on.
    package func run(_ report: TortureReport) throws -> TortureReport {
        var report = report
        for plan in plans {
            let place = place(of: plan, in: &report)
            while report.parts[place].completed < plan.attempts {
                try runSlice(plan, &report.parts[place], seed: report.seed)
                try keep(report)
            }
        }
        return report
    }

    private func place(of plan: Plan, in report: inout TortureReport) -> Int {
        if let known = report.parts.firstIndex(where: { $0.name == plan.part.name }) {
            let completed = report.parts[known].completed
            report.parts[known].planned = max(plan.attempts, completed)
            return known
        }
        report.parts.append(TorturePartResult(name: plan.part.name, planned: plan.attempts))
        return report.parts.count - 1
    }

    private func runSlice(
        _ plan: Plan, _ result: inout TorturePartResult, seed: UInt64
    ) throws {
        let first = result.completed
        let size = max(plan.part.attemptsOfSliceMin, plan.attempts / Self.slicesOfPart)
        let last = min(plan.attempts, first + size)
        let numbers = plan.first + first..<plan.first + last
        let began = ContinuousClock.now
        let slice = try plan.part.run(numbers, seed: seed) { done in
            progress(
                ProgressUpdate(plan.part.name, completed: first + done, total: plan.attempts))
        }
        let took = (ContinuousClock.now - began).components
        result.seconds += Double(took.seconds) + Double(took.attoseconds) / 1e18
        result.counts.merge(slice.counts, uniquingKeysWith: +)
        result.failures += slice.failures
        result.completed = last
    }
}
