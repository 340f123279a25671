import CoreData
import LabFiles
import LabResults
import LabRunner
import TortureCampaigns

/// Checks that the reduced exploration of random programs finds all outcomes. The command
/// `selfcheck` runs it.
///
/// The outcomes are compared with those of brute force. If there are too many schedules for this,
/// they are compared with those of randomly drawn schedules. Some programs are also explored with
/// two schedules that run at the same time.
package struct CodeCheck {
    package struct Result: Sendable {
        /// The number of programs for which the reduced exploration was complete.
        package var compared = 0
        /// The number of these programs for which brute force was complete too.
        package var inFull = 0
        package var tooLarge = 0
        /// The number of schedules that brute force ran. `reduced` is the number for the reduced
        /// exploration of the same programs.
        package var exhaustive = 0
        package var reduced = 0
        /// The number of schedules that were drawn for programs that are too large for brute force.
        /// `reducedElsewhere` is the number for the reduced exploration of these programs.
        package var drawn = 0
        package var reducedElsewhere = 0
        /// Descriptions of the differences, each with the seed of its program.
        package var differences: [String] = []
    }

    /// One program in eight is also explored with two schedules at the same time.
    private static let sharedInterval: UInt64 = 8

    /// The seed of the first program. The next programs use the next numbers.
    package var seed: UInt64
    package var wanted: Int
    /// The maximum number of schedules for brute force. Schedules of larger programs are drawn.
    package var most = 400
    /// The number of schedules that are drawn for such a program.
    package var drawn = 500
    /// Programs with more classes of equivalent schedules are skipped.
    package var classesMax = 400
    /// A planted fault, which the comparison must find: the lab then ignores the rows that
    /// operations read.
    package var forgetsReads = false
    /// The number of programs that are explored at the same time.
    package var jobs = 1

    package init(seed: UInt64, wanted: Int) {
        self.seed = seed
        self.wanted = wanted
    }

    package func run(progress: ProgressSink = { _ in }) throws -> Result {
        var result = Result()
        var next = 0
        while result.compared < wanted {
            let attempts = next..<(next + wanted - result.compared)
            next = attempts.upperBound
            let compared = result.compared
            let slice = try ParallelAttempts(jobs: jobs).run(
                attempts,
                progress: { done in
                    progress(
                        ProgressUpdate(
                            "random programs", completed: compared + done, total: wanted))
                },
                compare)
            result.add(slice)
        }
        return result
    }

    private func compare(_ attempt: Int, _ slice: inout TortureSlice) {
        let seed = seed + UInt64(attempt)
        let program = RandomCode(seed: seed, forms: RandomCode.Form.allCases)
        do {
            guard let found = try differences(of: program, seed, &slice) else {
                return slice.count("too large")
            }
            for what in found { slice.fail(attempt, "seed \(seed): \(what)\n    \(program)") }
        } catch {
            slice.fail(attempt, "seed \(seed): \(error)\n    \(program)")
        }
        slice.count("compared")
    }

    /// - Returns: nil if there are too many classes of equivalent schedules.
    private func differences(
        of program: RandomCode, _ seed: UInt64, _ slice: inout TortureSlice
    ) throws -> [String]? {
        let reduced = try program.explore(
            .reduced, limit: classesMax, forgetsReads: forgetsReads)
        guard reduced.isComplete else { return nil }
        var differences: [String] = []
        // The estimate from a sample detects most programs that are too large for brute force.
        let look = try program.explore(.random, limit: 50)
        let isLarge = look.estimate.map { $0 > 4 * Double(most) } ?? false
        let all = isLarge ? look : try program.explore(.exhaustive, limit: most)
        differences += Self.missed(by: reduced, of: all, isWhole: all.isComplete)
        if all.isComplete {
            slice.count("in full")
            slice.count("exhaustive", all.schedules)
            slice.count("reduced", reduced.schedules)
        } else {
            let sample = try program.explore(.random, limit: drawn)
            slice.count("drawn", sample.schedules)
            slice.count("reduced elsewhere", reduced.schedules)
            differences += Self.missed(by: reduced, of: sample, isWhole: false)
        }
        if seed % Self.sharedInterval == 0 {
            let shared = try program.explore(.reduced, limit: classesMax, worlds: 2)
            if "\(shared)" != "\(reduced)" {
                differences.append("two worlds report \(shared), one world reports \(reduced)")
            }
        }
        return differences
    }

    /// - Parameter isWhole: whether the other exploration has run every schedule.
    private static func missed(
        by reduced: CodeReport, of all: CodeReport, isWhole: Bool
    ) -> [String] {
        func sights(_ report: CodeReport) -> Set<String> {
            Set(report.outcomes.keys).union(report.findings.keys.map { "the finding \($0)" })
        }
        let (few, many) = (sights(reduced), sights(all))
        let missed = many.subtracting(few).sorted()
        var told: [String] = []
        if !missed.isEmpty {
            told.append(
                "\(reduced.schedules) schedules, which should represent all schedules, miss"
                    + " \(missed.count) of the \(many.count) outcomes and findings of"
                    + " \(all.schedules) schedules:"
                    + " \(missed.prefix(2).joined(separator: " / "))")
        }
        let onlyReduced = isWhole ? few.subtracting(many).sorted() : []
        if !onlyReduced.isEmpty {
            told.append(
                "the reduced exploration has results that brute force does not have:"
                    + " \(onlyReduced.prefix(2).joined(separator: " / "))")
        }
        return told
    }
}

extension CodeCheck.Result {
    fileprivate mutating func add(_ slice: TortureSlice) {
        func count(_ name: String) -> Int { slice.counts[name] ?? 0 }
        compared += count("compared")
        inFull += count("in full")
        tooLarge += count("too large")
        exhaustive += count("exhaustive")
        reduced += count("reduced")
        drawn += count("drawn")
        reducedElsewhere += count("reduced elsewhere")
        differences += slice.failures.map(\.what)
    }
}

/// Measures the number of schedules per second for ordinary code: two sessions with three
/// operations each.
package enum CodeRate {
    /// - Parameters:
    ///   - isAsynchronous: whether each operation is awaited.
    ///   - schedules: the number of schedules to draw.
    /// - Returns: the number of schedules per second.
    package static func measure(isAsynchronous: Bool, schedules: Int) throws -> Int {
        let model = RandomModel(hasNotes: false, isUnique: false).make()
        let clock = ContinuousClock()
        let start = clock.now
        var options = Lab.Options(
            strategy: .random, limit: schedules, timeBudget: .seconds(60))
        options.fails = .nothing
        let report = try Lab.explore("rate", options) { lab in
            let stack = try lab.stack(model: model)
            let id = try lab.setup { try account(in: stack) }
            for name in ["till", "desk"] {
                let context = stack.newBackgroundContext()
                context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                if isAsynchronous {
                    lab.session(name) { try await sell(id, context) }
                } else {
                    lab.session(name) { try context.performAndWait { try sell(id, context) } }
                }
            }
        }
        let time = clock.now - start
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        return Int(Double(report.schedules) / seconds)
    }

    private static func account(in stack: NSPersistentContainer) throws -> NSManagedObjectID {
        let context = stack.newBackgroundContext()
        return try context.performAndWait {
            let account = NSEntityDescription.insertNewObject(
                forEntityName: "Account", into: context)
            account.setValue(10, forKey: "balance")
            try context.save()
            return account.objectID
        }
    }

    private static func sell(
        _ id: NSManagedObjectID, _ context: NSManagedObjectContext
    ) throws {
        let account = try context.existingObject(with: id)
        account.setValue((account.value(forKey: "balance") as? Int ?? 0) + 5, forKey: "balance")
        try context.save()
    }

    private static func sell(
        _ id: NSManagedObjectID, _ context: NSManagedObjectContext
    ) async throws {
        let before = try await context.perform {
            try context.existingObject(with: id).value(forKey: "balance") as? Int ?? 0
        }
        try await context.perform {
            try context.existingObject(with: id).setValue(before + 5, forKey: "balance")
        }
        try await context.perform { try context.save() }
    }
}
