import CoreData
import LabRunner
import Testing

/// Tests that a fetch with `returnsObjectsAsFaults` off executes only one statement, and that its
/// objects have the values of that statement's rows.
@Suite struct WholeFetchTests {
    private func read(asFaults: Bool) throws -> CodeReport {
        var options = Lab.Options.unhurried()
        options.fails = .nothing
        return try Lab.explore("a fetch and a deletion", options) { lab in
            let stack = try lab.stack(model: Shop.model)
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
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
                    request.returnsObjectsAsFaults = asFaults
                    for account in try context.fetch(request) {
                        #expect(account.value(forKey: "balance") as? Int == 10)
                    }
                }
            }
        }
    }

    @Test func `a deletion during a fetch of whole objects does not blank an object`() throws {
        let report = try read(asFaults: false)
        #expect(report.isComplete)
        #expect(report.schedules > 1)
    }

    @Test func `a deletion after a fetch of faults blanks an object`() throws {
        let failure = #expect(throws: CodeFailure.self) { try read(asFaults: true) }
        #expect(try #require(failure).reasons.contains { $0.contains("== 10") })
    }
}
