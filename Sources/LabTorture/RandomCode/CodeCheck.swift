import CoreData
import LabResults
import LabRunner

/// Compares the reduced walk over random programs with brute force, and with the same walk in two
/// worlds, for the command `selfcheck`.
package struct CodeCheck {
    /// The result of the comparison.
    package struct Result: Sendable {
        /// The number of small enough programs.
        package var compared = 0
        package var tooLarge = 0
        package var exhaustive = 0
        package var reduced = 0
        /// The differences, with the seed of the program.
        package var differences: [String] = []
    }

    /// The seed of the first program; the others follow.
    package var seed: UInt64
    /// The number of programs to compare.
    package var wanted: Int
    /// Programs with more schedules are skipped.
    package var most = 2_000

    package init(seed: UInt64, wanted: Int) {
        self.seed = seed
        self.wanted = wanted
    }

    package func run(progress: ProgressSink = { _ in }) -> Result {
        var result = Result()
        var next = seed
        while result.compared < wanted {
            do {
                try compare(next, &result)
            } catch {
                result.compared += 1
                result.differences.append("seed \(next): \(error)")
            }
            next += 1
            progress(
                ProgressUpdate("random programs", completed: result.compared, total: wanted))
        }
        return result
    }

    private func compare(_ seed: UInt64, _ result: inout Result) throws {
        let world = RandomWorld(seed: seed)
        // A sample identifies most programs with too many schedules.
        let look = try world.explore(.random, limit: 50)
        if let estimate = look.estimate, estimate > 4 * Double(most) {
            result.tooLarge += 1
            return
        }
        let all = try world.explore(.exhaustive, limit: most)
        if !all.isComplete {
            result.tooLarge += 1
            return
        }
        let reduced = try world.explore(.reduced, limit: 10 * most)
        let shared = try world.explore(.reduced, limit: 10 * most, worlds: 2)
        result.compared += 1
        result.exhaustive += all.schedules
        result.reduced += reduced.schedules
        let ends = (all.outcomes.keys.sorted(), reduced.outcomes.keys.sorted())
        if !reduced.isComplete {
            result.differences.append("seed \(seed): the reduced walk did not finish")
        } else if ends.0 != ends.1 {
            let missing = ends.0.filter { !ends.1.contains($0) }
            result.differences.append(
                "seed \(seed): the reduced walk shows \(ends.1.count) of \(ends.0.count) ends;"
                    + " it misses \(missing.prefix(2).joined(separator: " / "))")
        } else if Set(all.findings.keys) != Set(reduced.findings.keys) {
            result.differences.append(
                "seed \(seed): findings \(all.findings.keys.sorted()), and reduced"
                    + " \(reduced.findings.keys.sorted())")
        } else if "\(shared)" != "\(reduced)" {
            result.differences.append("seed \(seed): two worlds show \(shared), and one \(reduced)")
        }
    }
}

/// The number of schedules of ordinary code that run in a second: two sessions of three operations
/// each.
package enum CodeRate {
    /// - Parameters:
    ///   - isAsynchronous: whether each operation is awaited.
    ///   - schedules: the number of schedules to draw.
    /// - Returns: schedules in a second.
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

    /// Reads, adds and saves.
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
