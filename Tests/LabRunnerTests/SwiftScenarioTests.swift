import CoreDataEngine
import CoreDataStore
import LabFiles
import LabResults
import LabRunner
import LabScenario
import Testing

@Suite struct SwiftScenarioTests {
    private func name(_ text: String) -> Located<String> { Located(text) }

    private func statement(_ action: Action) -> Statement {
        Statement(position: .start, text: "\(action)", action: action)
    }

    /// Two contexts set one balance. The second save fails.
    private func scenario(entity: String = "Account") -> Scenario {
        let account = EntityShape(
            name: name("Account"),
            properties: [
                PropertyShape(
                    name: name("balance"), kind: .attribute(.integer64, defaultValue: nil))
            ])
        func set(_ step: String, _ value: Int64) -> Step {
            let path = ObjectPath(object: .init(name: name("a")), keys: [name("balance")])
            return Step(
                name: name(step), text: "set a.balance = \(value)",
                statements: [
                    statement(
                        .object(
                            .set([.init(path: path, value: .literal(Located(.integer(value))))])))
                ])
        }
        func save(_ step: String) -> Step {
            Step(
                name: name(step), text: "save",
                statements: [statement(.context(.save(SaveForm())))])
        }
        let insert = Step(
            name: name("setup1"), text: "",
            statements: [
                statement(.object(.insert(entity: name(entity), name: name("a"), values: [])))
            ])
        let count = Query(entity: name("Account"))
        return Scenario(
            name: "in-swift", about: "Whoever is second is told.",
            model: .inline(ModelShape(entities: [account])),
            contexts: [ContextSpec(name: name("A")), ContextSpec(name: name("B"))],
            setup: [insert],
            sessions: [
                SessionSpec(
                    name: name("one"), context: name("A"), steps: [set("a1", 1), save("a2")]),
                SessionSpec(
                    name: name("two"), context: name("B"), steps: [set("b1", 2), save("b2")]),
            ],
            observations: [
                ObservationSpec(
                    name: name("balance"), source: .read(count, keys: [name("balance")])),
                ObservationSpec(name: name("first"), source: .status(step: name("a2"))),
                ObservationSpec(name: name("second"), source: .status(step: name("b2"))),
            ],
            outcomes: [
                OutcomeSpec(
                    grade: .acceptable,
                    pattern: .values([
                        .init(observation: name("first"), pattern: .value(.text("ok")))
                    ]),
                    because: "The first one saved."),
                OutcomeSpec(
                    grade: .acceptable,
                    pattern: .values([
                        .init(observation: name("first"), pattern: .value(.integer(133_020)))
                    ]),
                    because: "The first one was told."),
            ])
    }

    @Test func `a scenario written in Swift runs like one from a file`() throws {
        let results = try suite().run(scenario())
        let result = try #require(results.first)
        #expect(results.count == 1)
        #expect(result.verdict == .passed)
        #expect(result.schedules.predicted == 6)
        #expect(result.schedules.explored == 6)
        #expect(result.outcomes.map(\.count).reduce(0, +) == 6)
    }

    @Test func `a mistake in it is reported as in a file`() {
        let error = #expect(throws: InputErrors.self) {
            _ = try suite().run(scenario(entity: "Acount"))
        }
        #expect(error?.errors.first?.problem == "unknown entity 'Acount'")
    }

    @Test func `a policy that was registered by name can be used`() throws {
        var options = SuiteOptions()
        options.policies.register("always-theirs") { _ in NSMergePolicy.rollback }
        var written = scenario()
        for index in written.contexts.indices {
            written.contexts[index].policy = .value(Located(PolicyName("always-theirs")))
        }
        let results = try ScenarioSuite(options).run(written)
        #expect(results[0].verdict == .passed)
        #expect(results[0].outcomes.allSatisfy { $0.observed[1].value == "ok" })
        #expect(results[0].findings.contains { $0.name == "lost update" })
        #expect(throws: InputErrors.self) { _ = try suite().run(written) }
    }
}
