import LabScenario
import Testing

@testable import LabTorture

/// Random scenarios are valid. Together they contain every feature.
@Suite struct GeneratorTests {
    private static func drafts(_ count: Int, seed: UInt64 = 1) throws -> [ScenarioDraft] {
        var drafts: [ScenarioDraft] = []
        // Many models with few scenarios each cover more than few models with many scenarios.
        for model in 0..<(count / 20) {
            let maker = try ScenarioGenerator(modelNumber: model, seed: seed)
            let first = model * ScenarioGenerator.attemptsOfModel
            drafts += (first..<first + 20).map { maker.draft($0, seed: seed) }
        }
        return drafts
    }

    @Test func `an attempt's scenario depends on seed and number alone`() throws {
        let maker = try ScenarioGenerator(modelNumber: 3, seed: 9)
        let again = try ScenarioGenerator(modelNumber: 3, seed: 9)
        #expect(again.draft(321, seed: 9) == maker.draft(321, seed: 9))
        #expect(maker.draft(322, seed: 9) != maker.draft(321, seed: 9))
        let other = try ScenarioGenerator(modelNumber: 3, seed: 10)
        #expect(other.draft(321, seed: 10) != maker.draft(321, seed: 9))
    }

    @Test func `every scenario is a valid file with the same steps`() throws {
        let reader = ScenarioReader()
        for draft in try Self.drafts(200, seed: 4) {
            let made = try draft.scenario(try draft.shape())
            let read = try reader.read([UInt8](draft.yaml.utf8), file: draft.name)
            let steps = [made, read].map { scenario in
                scenario.sessions.flatMap(\.steps).flatMap(\.statements).map(\.text)
            }
            #expect(steps[0] == steps[1])
            #expect(read.contexts.map(\.name.value) == made.contexts.map(\.name.value))
            #expect(read.setup.map(\.text) == made.setup.map(\.text))
            #expect(read.mode == made.mode)
        }
    }

    @Test func `every verb, mode, store, policy and kind of stack is reached`() throws {
        let drafts = try Self.drafts(6_000)
        let verbs = Set(drafts.flatMap(\.verbs))
        #expect(Set(Verb.allCases.map(\.rawValue)).subtracting(verbs) == [])
        #expect(Set(drafts.map(\.mode)) == Set(ScheduleMode.allCases.map(\.rawValue)))
        #expect(Set(drafts.map(\.store)) == ["sqlite-image", "sqlite"])
        #expect(drafts.contains { $0.journal == "delete" })
        let contexts = drafts.flatMap(\.contexts)
        let policies = Set(contexts.map { $0.policy.split(separator: " ").first.map(String.init) })
        #expect(policies == Set(PolicyName.builtIn + PolicyName.cures))
        #expect(contexts.contains { $0.automerge } && contexts.contains { $0.undo })
        #expect(contexts.contains { !$0.mergesFrom.isEmpty && !$0.onSave.isEmpty })
        #expect(contexts.contains { $0.isMain } && contexts.contains { $0.coordinator != nil })
        let isGrandchild = drafts.contains { draft in
            draft.contexts.contains { context in
                draft.contexts.contains { $0.name == context.parent && $0.parent != nil }
            }
        }
        #expect(isGrandchild)
        let prefixes = Set(
            drafts.flatMap(\.statements).compactMap { _, text in
                text.split(separator: " ").first.map(String.init)
            }
        ).intersection(Verb.prefixes)
        #expect(prefixes == Set(Verb.prefixes))
        let sizes = Set(drafts.map(\.sessions.count))
        #expect(sizes == [1, 2, 3])
        #expect(drafts.contains { !$0.after.isEmpty } && drafts.contains { !$0.atomic.isEmpty })
    }

    @Test(arguments: [
        ([true, false, true], [true, false, false]), ([true, true, true], [true, true, true]),
        ([false, true, false], [false, true, false]),
        ([false, false, true], [false, false, true]),
    ])
    func `on real threads main contexts have no private context between them`(
        _ drawn: [Bool], _ made: [Bool]
    ) {
        var contexts = [
            ScenarioDraft.Context(name: "C", parent: "M"),
            ScenarioDraft.Context(name: "M", parent: "W"), ScenarioDraft.Context(name: "W"),
        ]
        for (index, isMain) in drawn.enumerated() { contexts[2 - index].isMain = isMain }
        StackGenerator.untangleMain(&contexts)
        #expect(contexts.reversed().map(\.isMain) == made)
    }

    @Test func `every kind of attribute, relationship and delete rule is reached`() throws {
        let shapes = try (0..<300).map { try ScenarioGenerator(modelNumber: $0, seed: 1).shape }
        let properties = shapes.flatMap(\.entities).flatMap(\.properties)
        var types: Set<AttributeType> = []
        var pairs: Set<String> = []
        var rules: Set<RelationshipShape.DeleteRule> = []
        for shape in shapes {
            for property in shape.entities.flatMap(\.properties) {
                switch property.kind {
                case .attribute(let type, _): types.insert(type)
                case .relationship(let relationship):
                    rules.insert(relationship.deleteRule)
                    let other = relationship.inverse.flatMap {
                        shape.property(named: $0.value, of: relationship.destination.value)
                    }
                    let back = other?.relationship?.arity.rawValue ?? "none"
                    pairs.insert("\(relationship.arity.rawValue) \(back)")
                }
            }
        }
        #expect(types == Set(AttributeType.allCases))
        #expect(rules == Set(RelationshipShape.DeleteRule.allCases))
        let arities = ["one", "many", "ordered"]
        let all = arities.flatMap { one in (arities + ["none"]).map { "\(one) \($0)" } }
        #expect(Set(all).subtracting(pairs) == [])
        #expect(properties.contains { $0.isRequired } && properties.contains { $0.isTransient })
        let entities = shapes.flatMap(\.entities)
        #expect(entities.contains { $0.isAbstract } && entities.contains { $0.parent != nil })
        #expect(entities.contains { $0.unique.contains { $0.count > 1 } })
        #expect(entities.contains { $0.onDelete != nil })
    }
}
