import CoreDataModel

// Two relationships may be inverses only in the new model. These checks find links that only one of
// them contains.

extension RowMoves {
    func inverseChecks() -> [RowCheck] {
        var seen: Set<String> = []
        let all = destination.entities.flatMap { entity in
            entity.values.indices.compactMap { inverseCheck(entity, .value($0)) }
                + entity.toMany.indices.compactMap { inverseCheck(entity, .toMany($0)) }
        }
        return all.filter { seen.insert($0.sql).inserted }
    }

    /// One end of a relationship of the new model: its destination, and the slot of the old model
    /// that contains its values.
    private struct Side {
        let name: String
        let destinationIndex: Int
        let inverse: InverseSlot
    }

    private func side(_ slot: InverseSlot, of entity: EntityLayout) -> Side? {
        switch slot {
        case .none: return nil
        case .value(let index):
            let value = entity.values[index]
            return value.toOne.map {
                Side(name: value.name, destinationIndex: $0.destinationIndex, inverse: $0.inverse)
            }
        case .toMany(let index):
            let many = entity.toMany[index]
            return Side(
                name: many.name, destinationIndex: many.destinationIndex, inverse: many.inverse)
        }
    }

    private func origin(_ slot: InverseSlot, of entity: Int) -> SchemaMapping.Slot {
        let map = mapping.entities[entity]
        guard map.source != nil else { return .none }
        return switch slot {
        case .none: .none
        case .value(let index): map.values[index]
        case .toMany(let index): map.toMany[index]
        }
    }

    private func inverseCheck(_ entity: EntityLayout, _ slot: InverseSlot) -> RowCheck? {
        guard let side = self.side(slot, of: entity), side.inverse != .none,
            let owner = mapping.entities[entity.index].source,
            let member = mapping.entities[side.destinationIndex].source
        else { return nil }
        let there = origin(slot, of: entity.index)
        let back = origin(side.inverse, of: side.destinationIndex)
        guard let links = memberships.pairs(there, of: owner),
            let backLinks = memberships.pairs(back, of: member),
            !areInverses(there, of: owner, back)
        else { return nil }
        let reason = "it has links that its new inverse does not have."
        return RowCheck(
            sql: "SELECT A FROM (SELECT A, B FROM (\(links.sql)) X "
                + "EXCEPT SELECT B, A FROM (\(backLinks.sql)) Y) Z LIMIT 1",
            error: { _ in
                CoreDataError(
                    .inferredMappingModel,
                    "The mapping cannot be inferred. \(entity.name).\(side.name): \(reason) Make"
                        + " both sides agree with the old model first, or write a mapping model.",
                    info: ["reason": reason, "entity": entity.name, "property": side.name])
            })
    }

    private func areInverses(
        _ slot: SchemaMapping.Slot, of owner: Int, _ back: SchemaMapping.Slot
    ) -> Bool {
        let inverse: InverseSlot
        switch slot {
        case .none: return false
        case .value(let index): inverse = source[owner].values[index].toOne?.inverse ?? .none
        case .toMany(let index): inverse = source[owner].toMany[index].inverse
        }
        switch (inverse, back) {
        case (.value(let one), .value(let other)), (.toMany(let one), .toMany(let other)):
            return one == other
        default: return false
        }
    }
}
