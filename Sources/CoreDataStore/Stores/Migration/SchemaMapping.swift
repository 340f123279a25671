import CoreDataModel

/// Maps each entity and property of a new model to its source in an older model, by layout indexes.
package struct SchemaMapping: Sendable {
    package var entities: [Entity]

    package init(entities: [Entity]) { self.entities = entities }

    /// The mapping of one entity of the new model.
    package struct Entity: Sendable {
        /// The index of the entity in the old model; nil if the entity is new.
        package var source: Int?
        /// The source of each value, by value slot of the new model.
        package var values: [Slot]
        /// The default value of each value slot; null for none.
        package var defaults: [Value]
        /// The source of the members of each to-many relationship, by to-many slot of the new
        /// model.
        package var toMany: [Slot]

        package init(source: Int?, values: [Slot], defaults: [Value], toMany: [Slot]) {
            self.source = source
            self.values = values
            self.defaults = defaults
            self.toMany = toMany
        }
    }

    /// A slot of the entity in the old model.
    package enum Slot: Sendable, Equatable {
        /// The property is new.
        case none
        case value(Int)
        case toMany(Int)
    }
}
