extension EntityLayout {
    /// A copy of the layout with the names of a store file.
    ///
    /// - Parameters:
    ///   - values: the value slots in their order, with the column names in the file.
    ///   - toMany: the to-many slots in their order, with the names in the file.
    package func replacing(values: [ValueSlot], toMany: [ToManySlot]) -> EntityLayout {
        assert(
            values.map(\.name) == self.values.map(\.name),
            "the renaming changed the positions of slots")
        assert(
            toMany.map(\.name) == self.toMany.map(\.name),
            "the renaming changed the positions of slots")
        return EntityLayout(
            name: name, index: index, rootIndex: rootIndex, superIndex: superIndex,
            familyRange: familyRange, isAbstract: isAbstract, tableName: tableName, values: values,
            toMany: toMany, uniquenessConstraints: uniquenessConstraints, indexes: indexes)
    }
}

extension ValueSlot {
    /// A copy of the slot with another entity column. A slot that is not to-one is returned
    /// unchanged.
    package func withEntityColumn(_ column: String) -> ValueSlot {
        guard let toOne else { return self }
        return ValueSlot(
            name: name, kind: kind, coding: coding, isTransient: isTransient,
            isOptional: isOptional, column: self.column,
            toOne: ToOneLayout(
                destinationIndex: toOne.destinationIndex, entityColumn: column,
                inverse: toOne.inverse, deleteBehavior: toOne.deleteBehavior),
            isPreservedInHistory: isPreservedInHistory)
    }
}

extension ValueSlot {
    /// A copy of the slot with other columns.
    package func withColumns(_ column: String?, _ entityColumn: String?) -> ValueSlot {
        ValueSlot(
            name: name, kind: kind, coding: coding, isTransient: isTransient,
            isOptional: isOptional, column: column,
            toOne: toOne.map {
                ToOneLayout(
                    destinationIndex: $0.destinationIndex, entityColumn: entityColumn,
                    inverse: $0.inverse, deleteBehavior: $0.deleteBehavior)
            },
            isPreservedInHistory: isPreservedInHistory, isExternal: isExternal,
            derivation: derivation)
    }
}

extension ValueSlot {
    package var withoutColumn: ValueSlot {
        ValueSlot(
            name: name, kind: kind, coding: coding, isTransient: isTransient,
            isOptional: isOptional, column: nil,
            toOne: toOne.map {
                ToOneLayout(
                    destinationIndex: $0.destinationIndex, entityColumn: nil, inverse: $0.inverse,
                    deleteBehavior: $0.deleteBehavior)
            },
            isPreservedInHistory: isPreservedInHistory)
    }
}

extension ToManySlot {
    package func withStorage(_ storage: ToManyStorage) -> ToManySlot {
        ToManySlot(
            name: name, destinationIndex: destinationIndex, isOrdered: isOrdered,
            isOptional: isOptional, isTransient: isTransient, inverse: inverse,
            deleteBehavior: deleteBehavior, storage: storage)
    }
}
