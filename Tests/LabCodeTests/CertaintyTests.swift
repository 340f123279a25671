import CoreData
import LabRunner
import Testing

/// Tests that a failure states the step after which it is certain.
@Suite struct CertaintyTests {
    private func failure(_ example: SerialCase) throws -> CodeFailure {
        var options = Lab.Options.unhurried(limit: 1_000)
        options.fails = .nothing
        options.certainty = true
        let failure = #expect(throws: CodeFailure.self) {
            try Lab.explore("certain", options) { lab in
                try example.code(lab, try lab.stack(model: Shop.model), false)
                lab.serial()
            }
        }
        return try #require(failure)
    }

    @Test(arguments: SerialCase.all.prefix(8))
    func `a loss becomes certain at one step`(_ example: SerialCase) throws {
        let failure = try failure(example)
        let step = try #require(failure.certainFrom)
        #expect(failure.losses.dropFirst(step).allSatisfy { ($0 ?? 0) > 0.999 })
        #expect((failure.losses[step - 1] ?? 1) < 0.999)
        #expect(failure.story.contains { $0.hasPrefix("█████  100 %  ") })
        #expect(
            failure.description.contains(
                "step \(step) of \(failure.losses.count - 1) makes the failure certain"))
    }

    @Test func `without the option no continuation runs`() throws {
        let failure = #expect(throws: CodeFailure.self) {
            try Lab.explore("uncertain", .unhurried(limit: 1_000)) { lab in
                try SerialCase.all[0].code(lab, try lab.stack(model: Shop.model), false)
            }
        }
        #expect(failure?.losses == [])
        #expect(failure?.certainFrom == nil)
    }
}
