import CoreDataModel

/// The sources of a new model's rows and values in an older one, as layout numbers.
///
/// Created by the inference of a mapping, read by the statements that move the rows.
package struct SchemaMapping: Sendable {
    /// The sources of each entity of the destination, by the entity's index.
    package var entities: [Entity]

    package init(entities: [Entity]) { self.entities = entities }

    /// The sources of one destination entity.
    package struct Entity: Sendable {
        /// The index of the source entity; nil for a new one.
        package var source: Int?
        /// The sources of the values, by value slot of the destination.
        package var values: [Slot]
        /// The default value of each value slot; null for none.
        package var defaults: [Value]
        /// The sources of the members, by to-many slot of the destination.
        package var toMany: [Slot]

        package init(source: Int?, values: [Slot], defaults: [Value], toMany: [Slot]) {
            self.source = source
            self.values = values
            self.defaults = defaults
            self.toMany = toMany
        }
    }

    /// A slot of the source entity.
    package enum Slot: Sendable, Equatable {
        /// The property is new.
        case none
        case value(Int)
        case toMany(Int)
    }
}
