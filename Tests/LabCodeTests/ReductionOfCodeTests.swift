import CoreData
import Foundation
import LabRunner
import LabTorture
import Testing

@Suite struct ReductionOfCodeTests {
    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// `FAULTLINE_CODE_WORLDS` sets the number of programs, and `FAULTLINE_FIRST_SEED` the seed of
    /// the first one. `faultline selfcheck` compares a thousand programs.
    @Test func `the reduced walk has every result of all schedules`() throws {
        var check = CodeCheck(
            seed: UInt64(Self.number("FAULTLINE_FIRST_SEED") ?? 1),
            wanted: Self.number("FAULTLINE_CODE_WORLDS") ?? 8)
        if Self.number("FAULTLINE_CODE_WORLDS") == nil {
            check.most = 200
            check.drawn = 100
            check.classesMax = 100
        }
        check.jobs = Self.number("FAULTLINE_CODE_JOBS") ?? 1
        let result = try check.run()
        #expect(result.differences.isEmpty, "\(result.differences.joined(separator: "\n"))")
        // A reduction that skips no schedules would pass the first check.
        #expect(result.reduced < result.exhaustive / 2)
        if Self.number("FAULTLINE_CODE_WORLDS") != nil { print(result) }
    }

    @Test func `a walk over footprints that lack reads differs`() throws {
        var check = CodeCheck(seed: 1, wanted: 16)
        check.most = 50
        check.drawn = 50
        check.classesMax = 100
        check.forgetsReads = true
        #expect(try !check.run().differences.isEmpty)
    }

    @Test func `a search that finds no row depends on the deletion of the row`() throws {
        var options = Lab.Options.unhurried()
        (options.fails, options.checkMin) = (.nothing, 0)
        let report = try Lab.explore("a search and a deletion", options) { lab in
            let stack = NSPersistentContainer(name: "memory", managedObjectModel: Shop.model)
            let description = NSPersistentStoreDescription()
            description.type = NSInMemoryStoreType
            stack.persistentStoreDescriptions = [description]
            stack.loadPersistentStores { _, error in #expect(error == nil) }
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            lab.session("deleter") {
                let context = stack.newBackgroundContext()
                try context.performAndWait {
                    context.delete(try context.existingObject(with: id))
                    try context.save()
                }
            }
            lab.session("reader") {
                let context = stack.newBackgroundContext()
                try context.performAndWait {
                    if (try? context.existingObject(with: id)) == nil { return }
                    try Shop.importItem("found", in: context)
                }
            }
            lab.finally { lab.observe("items", try Shop.count("Item", in: stack)) }
        }
        #expect(report.isComplete)
        #expect(report.outcomes.keys.sorted() == ["items = 0", "items = 1"])
    }

    /// Prints the rates if `FAULTLINE_RATES=1` is set in the environment.
    @Test(.enabled(if: number("FAULTLINE_RATES") != nil))
    func `the number of schedules that run in a second`() throws {
        for isAsynchronous in [false, true] {
            let rate = try CodeRate.measure(isAsynchronous: isAsynchronous, schedules: 2_000)
            print("\(isAsynchronous ? "async" : "sync"): \(rate) schedules/s")
            #expect(rate > 0)
        }
    }
}
