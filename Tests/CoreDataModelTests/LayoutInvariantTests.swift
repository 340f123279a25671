import CoreDataModel
import Testing

/// Handmade layouts that no model can have.
@Suite struct LayoutInvariantTests {
    private func slot(_ name: String, _ toOne: ToOneLayout? = nil) -> ValueSlot {
        ValueSlot(
            name: name, kind: toOne == nil ? .string : .toOne, isTransient: false,
            isOptional: true, column: "Z\(name)", toOne: toOne)
    }

    private func entity(
        _ name: String, index: Int = 0, parent superIndex: Int? = nil, family: Range<Int>? = nil,
        values: [ValueSlot] = [], unique: [Int] = []
    ) -> EntityLayout {
        EntityLayout(
            name: name, index: index, rootIndex: superIndex ?? index, superIndex: superIndex,
            familyRange: family ?? index..<(index + 1), isAbstract: false, tableName: "Z",
            values: values, toMany: [],
            uniquenessConstraints: [UniquenessConstraint(slots: unique, indexName: "U")],
            indexes: [])
    }

    @Test func `an entity detects a subtree that does not begin with it`() {
        #expect(entity("A").brokenInvariant() == nil)
        #expect(
            entity("A", index: 1, family: 0..<2).brokenInvariant()
                == "The family of A does not begin with A.")
    }

    @Test func `an entity detects a constraint of a missing slot`() {
        #expect(entity("A", values: [slot("a")], unique: [0]).brokenInvariant() == nil)
        #expect(
            entity("A", values: [slot("a")], unique: [1]).brokenInvariant()
                == "A constraint or an index of A names an unknown slot.")
    }

    @Test func `a model detects an entity at a wrong index`() {
        let model = ModelLayout(entities: [entity("A", index: 1)])
        #expect(model.brokenInvariant() == "The index of A is not its position in the model.")
    }

    @Test func `a model detects a slot that has another meaning in a subentity`() {
        let parent = entity("A", family: 0..<2, values: [slot("a")])
        let same = entity("B", index: 1, parent: 0, values: [slot("a"), slot("b")])
        #expect(ModelLayout(entities: [parent, same]).brokenInvariant() == nil)
        let other = entity("B", index: 1, parent: 0, values: [slot("b"), slot("a")])
        #expect(
            ModelLayout(entities: [parent, other]).brokenInvariant()
                == "A slot of A differs in the subentity B.")
    }

    @Test func `a model detects an inverse that does not lead back`() {
        func toOne(_ inverse: InverseSlot) -> ToOneLayout {
            ToOneLayout(
                destinationIndex: 0, entityColumn: nil, inverse: inverse,
                deleteBehavior: .nullify)
        }
        let mutual = [slot("a", toOne(.value(1))), slot("b", toOne(.value(0)))]
        #expect(ModelLayout(entities: [entity("A", values: mutual)]).brokenInvariant() == nil)
        let oneSided = [slot("a", toOne(.value(1))), slot("b", toOne(.none))]
        #expect(
            ModelLayout(entities: [entity("A", values: oneSided)]).brokenInvariant()
                == "A.a is not the inverse of its own inverse.")
    }
}
