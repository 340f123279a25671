import LabFiles
import LabResults

/// Runs attacks slice by slice. The report is saved after each slice, so a stopped campaign can
/// continue.
package struct TortureCampaign {
    /// The plan of one part of the campaign.
    package struct Plan: Sendable {
        package let part: any TorturePart
        /// The maximum number of attempts. All of them run if time is not limited.
        package let attempts: Int
        /// The number of attempts that run even if the time is used up.
        package let floor: Int
        /// The part's share of the time, relative to the weights of the other parts.
        package let weight: Double
        /// The number of the first attempt.
        package let first: Int

        /// - Parameter floor: the minimum number of attempts; nil for all attempts.
        package init(
            _ part: any TorturePart, attempts: Int, floor: Int? = nil, weight: Double = 1,
            first: Int = 0
        ) {
            self.part = part
            self.attempts = attempts
            self.floor = min(floor ?? attempts, attempts)
            self.weight = weight
            self.first = first
        }

        /// Returns a plan that begins at another attempt.
        ///
        /// - Parameter attempts: the number of attempts to run; nil for the number in this plan.
        package func from(_ first: Int, attempts: Int?) -> Plan {
            Plan(
                part, attempts: attempts ?? self.attempts, floor: attempts ?? floor,
                weight: weight, first: first)
        }
    }

    /// The number of slices of a long part. The report is saved after each slice.
    private static let slicesOfPart = 100

    package let plans: [Plan]
    /// Seconds for all parts together; nil to run all attempts.
    package let timeBudget: Double?
    /// Saves the report after each slice.
    package let keep: (TortureReport) throws -> Void
    package let progress: ProgressSink
    /// Returns the time. Tests replace it.
    private let now: () -> ContinuousClock.Instant

    package init(
        _ plans: [Plan], timeBudget: Double? = nil,
        now: @escaping () -> ContinuousClock.Instant = { .now },
        progress: @escaping ProgressSink = { _ in },
        keep: @escaping (TortureReport) throws -> Void = { _ in }
    ) {
        self.plans = plans
        self.timeBudget = timeBudget
        self.now = now
        self.keep = keep
        self.progress = progress
    }

    /// Runs the attempts that are missing from the report.
    ///
    /// If time is limited, each part runs its floor of attempts, and then more until its share of
    /// the time is used up. Time affects only the number of attempts, and not their results.
    ///
    /// - Parameter report: the report of an earlier run with the same seed. Missing parts are added
    ///   to it, and a part with more planned attempts continues.
    package func run(_ report: TortureReport) throws -> TortureReport {
        var report = report
        report.timeBudgetSeconds = timeBudget
        for (index, plan) in plans.enumerated() {
            let place = place(of: plan, in: &report)
            while true {
                let size = sizeOfSlice(index, report.parts[place], share(of: index, in: report))
                guard size > 0 else { break }
                try runSlice(plan, size, &report.parts[place], seed: report.seed)
                try keep(report)
            }
            guard report.parts[place].completed < plan.attempts else { continue }
            report.parts[place].endedByTime = true
            try keep(report)
        }
        return report
    }

    private func place(of plan: Plan, in report: inout TortureReport) -> Int {
        let place =
            report.parts.firstIndex { $0.name == plan.part.name } ?? report.parts.count
        if place == report.parts.count {
            report.parts.append(TorturePartResult(name: plan.part.name, planned: 0))
        }
        report.parts[place].planned = max(plan.attempts, report.parts[place].completed)
        report.parts[place].floor = timeBudget == nil ? nil : plan.floor
        report.parts[place].endedByTime = nil
        return place
    }

    // MARK: Time

    /// The time limit for a part in seconds. The time that is left is divided among this part and
    /// the later parts by their weights. So the later parts can use the time that earlier parts did
    /// not use.
    private func share(of index: Int, in report: TortureReport) -> Double? {
        guard let timeBudget else { return nil }
        let plan = plans[index]
        let others = report.parts.filter { $0.name != plan.part.name }
            .reduce(0) { $0 + $1.seconds }
        let weights = plans[index...].reduce(0) { $0 + $1.weight }
        return (timeBudget - others) * plan.weight / weights
    }

    private func sizeOfSlice(_ index: Int, _ result: TorturePartResult, _ share: Double?) -> Int {
        let plan = plans[index]
        let least = plan.part.attemptsOfSliceMin
        let usual = min(
            max(least, plan.attempts / Self.slicesOfPart), plan.attempts - result.completed)
        guard let share, usual > 0 else { return max(0, usual) }
        if result.completed < plan.floor { return min(usual, plan.floor - result.completed) }
        let left = share - result.seconds
        guard left > 0 else { return 0 }
        guard result.seconds > 0 else { return usual }
        let fitting = left / result.seconds * Double(result.completed)
        // The last slice needs at least a quarter of the part's minimum slice. With fewer attempts,
        // most processors would be idle.
        return fitting < Double(least) / 4 ? 0 : Int(min(fitting, Double(usual)))
    }

    private func runSlice(
        _ plan: Plan, _ size: Int, _ result: inout TorturePartResult, seed: UInt64
    ) throws {
        let first = result.completed
        let numbers = plan.first + first..<plan.first + first + size
        let began = now()
        let total = timeBudget == nil ? plan.attempts : nil
        let slice = try plan.part.run(numbers, seed: seed) { done in
            progress(ProgressUpdate(plan.part.name, completed: first + done, total: total))
        }
        result.seconds += (now() - began) / .seconds(1)
        result.counts.merge(slice.counts, uniquingKeysWith: +)
        result.failures += slice.failures
        result.completed = first + size
    }
}
