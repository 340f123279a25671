import Rates
import Testing

@Suite struct RatesTests {
    @Test func `memory stays constant while schedules run`() throws {
        _ = try Tills.explore(isAsynchronous: false, schedules: 500)
        let before = try ResidentMemory.now()
        print("before: \(before)")
        _ = try Tills.explore(isAsynchronous: false, schedules: 3_000)
        let after = try ResidentMemory.now()
        print("after: \(after)")
        for part in try ResidentMemory.byFile() where part.resident >= 100 {
            print("  \(part.name): \(part.resident) KB, of them \(part.own) changed")
        }
        #expect(after.total - before.total < 1_000)
    }
}
