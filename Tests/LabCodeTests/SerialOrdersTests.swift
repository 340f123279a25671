import CoreData
import Foundation
import LabRunner
import Testing

/// Tests of explorations whose only expectation is that a schedule ends like a serial order: the
/// sessions one after another.
@Suite struct SerialOrdersTests {
    private func explore(_ example: SerialCase, isCured: Bool) throws -> CodeReport {
        var options = Lab.Options.unhurried(limit: 1_000)
        // Without the detectors, only the comparison with the serial orders finds a lost value.
        options.fails = .nothing
        return try Lab.explore("serial", options) { lab in
            try example.code(lab, try lab.stack(model: Shop.model), isCured)
            lab.serial()
        }
    }

    @Test(arguments: SerialCase.all)
    func `a planted bug ends like no serial order, and the cured program ends like one`(
        _ example: SerialCase
    ) throws {
        let failure = #expect(throws: CodeFailure.self) {
            try explore(example, isCured: false)
        }
        let reasons = try #require(failure).reasons
        #expect(
            reasons.contains { $0.hasPrefix("no serial order: ") || $0.hasPrefix("deadlock") },
            "\(reasons)")
        _ = try explore(example, isCured: true)
    }

    @Test func `the finding names the closest order and the lines that differ`() throws {
        let failure = #expect(throws: CodeFailure.self) {
            try explore(SerialCase.all[0], isCured: false)
        }
        let reason = try #require(failure?.reasons.first)
        #expect(reason.contains("The closest order is till, then desk; 2 lines differ."))
        #expect(reason.contains("till, then desk: Account 1: balance 22 name nil"))
        #expect(reason.contains("here: Account 1: balance 1"))
        #expect(failure?.cycles.first?.hasPrefix("lost update (G-single): ") == true)
    }

    // MARK: Correct programs

    private func passes(
        _ name: String, _ body: @escaping (CodeLab, NSPersistentContainer) throws -> Void
    ) throws {
        let report = try Lab.explore(name, .unhurried(limit: 1_000)) { lab in
            try body(lab, try lab.stack(model: Shop.model))
            lab.serial()
        }
        #expect(report.schedules > 1)
    }

    @Test func `new rows may get their numbers in any order`() throws {
        try passes("two items") { lab, stack in
            for code in ["a", "b"] {
                lab.session(code) {
                    let context = stack.newBackgroundContext()
                    try context.performAndWait { try Shop.importItem(code, in: context) }
                }
            }
        }
    }

    @Test func `values that differ in every run are not compared`() throws {
        try passes("random names") { lab, stack in
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            let context = stack.newBackgroundContext()
            for name in ["a", "b"] {
                lab.session(name) {
                    try context.performAndWait {
                        let account = try context.existingObject(with: id)
                        account.setValue(UUID().uuidString, forKey: "name")
                        try context.save()
                    }
                }
            }
        }
    }

    @Test func `sessions of different rows, and of three sessions on one queue, pass`() throws {
        try passes("two accounts") { lab, stack in
            let ids = try lab.setup {
                [try Shop.account(balance: 1, in: stack), try Shop.account(balance: 2, in: stack)]
            }
            for (name, id) in zip(["a", "b"], ids) {
                lab.session(name) { try Shop.add(5, to: id, in: stack.newBackgroundContext()) }
            }
        }
        try passes("three on one queue") { lab, stack in
            let id = try lab.setup { try Shop.account(balance: 1, in: stack) }
            let context = stack.newBackgroundContext()
            for (name, amount) in [("a", 1), ("b", 2), ("c", 3)] {
                lab.session(name) { try Shop.add(amount, to: id, in: context) }
            }
        }
    }

    @Test func `a session that only reads has no effect`() throws {
        try passes("a reader") { lab, stack in
            let id = try lab.setup { try Shop.account(balance: 1, in: stack) }
            lab.session("add") { try Shop.add(1, to: id, in: stack.newBackgroundContext()) }
            lab.session("read") { _ = try Shop.balance(of: id, in: stack) }
        }
    }

    @Test func `too many sessions are refused with the remedy`() throws {
        let error = #expect(throws: (any Error).self) {
            try Lab.explore("six") { lab in
                for number in 1...6 { lab.session("session \(number)") {} }
                lab.serial()
            }
        }
        #expect("\(try #require(error))".contains("or use lab.finally"))
    }
}
