import CoreData
import Dispatch
import LabRunner
import Synchronization
import Testing

/// Tests that the report about code that is not deterministic names the cause and the first step
/// that differs between two runs.
@Suite struct NotDeterministicTests {
    private func told(_ amount: @escaping () -> Int) throws -> String {
        let failure = #expect(throws: (any Error).self) {
            try Lab.explore("parts", .unhurried()) { lab in
                let stack = try lab.stack(model: Shop.model)
                let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
                lab.session("till") {
                    try Shop.add(amount(), to: id, in: stack.newBackgroundContext())
                }
                lab.finally { lab.observe("balance", try Shop.balance(of: id, in: stack)) }
            }
        }
        return "\(try #require(failure))"
    }

    @Test func `a random number is reported with the step at which the runs differ`() throws {
        let text = try told { Int.random(in: 0..<1_000_000_000) }
        #expect(text.hasPrefix("not deterministic"))
        #expect(text.contains("sets Account#1.balance to"))
    }

    @Test func `use of the current time is reported`() throws {
        let text = try told { Int(truncatingIfNeeded: DispatchTime.now().uptimeNanoseconds) >> 4 }
        #expect(text.hasPrefix("not deterministic"))
    }

    @Test func `the order of a set is reported`() throws {
        // The order of a set depends on its address. The test keeps every set, so that the next one
        // has a new address.
        let kept = Mutex<[Set<String>]>([])
        let text = try told {
            let set = Set((0..<40).map { "\($0)" })
            kept.withLock { $0.append(set) }
            return set.prefix(5).reduce(0) { $0 &* 100 &+ (Int($1) ?? 0) }
        }
        #expect(text.hasPrefix("not deterministic"))
        #expect(text.contains("differs from process to process"))
        #expect(text.contains("SWIFT_DETERMINISTIC_HASHING=1"))
    }

    @Test func `code with a fixed amount is not reported`() throws {
        let report = try Lab.explore("sure", .unhurried()) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            lab.session("till") { try Shop.add(3, to: id, in: stack.newBackgroundContext()) }
            lab.finally { lab.observe("balance", try Shop.balance(of: id, in: stack)) }
        }
        #expect(report.outcomes.keys.sorted() == ["balance = 13"])
    }
}
