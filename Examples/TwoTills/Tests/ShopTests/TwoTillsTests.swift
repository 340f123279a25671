import CoreData
import LabRunner
import Shop
import Testing

@Suite struct TwoTillsTests {
    private func explore(
        _ sell: @escaping (Till, NSManagedObjectID, Int) throws -> Void
    ) throws -> CodeReport {
        try Lab.explore("two tills") { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            lab.session("till") { try sell(Till(stack.newBackgroundContext()), id, 5) }
            lab.session("desk") { try sell(Till(stack.newBackgroundContext()), id, 7) }
            lab.finally { try #expect(Shop.balance(of: id, in: stack) == 22) }
        }
    }

    /// This test records the bug: the lab finds the schedule that loses a sale.
    @Test func `a policy loses one of two sales`() throws {
        let failure = try #require(
            #expect(throws: CodeFailure.self) { try explore { try $0.sell($1, $2) } })
        #expect(failure.cures.contains { $0.helps && $0.name == "one session after another" })
        print(failure)
    }

    @Test func `tills that read again lose nothing in any schedule`() throws {
        let report = try explore { try $0.sellAgain($1, $2) }
        #expect(report.isComplete)
    }
}
