import CoreDataModel
import CoreDataSQL

/// The SQL of a migration that depends on the database.
package protocol MigrationDialect: Sendable {
    /// The columns that the table of every root entity has.
    var rows: RowNames { get }

    /// The beginning and the last clause of an INSERT that skips existing rows.
    var insertUnlessStored: (verb: String, clause: String) { get }

    /// The literal of a default value, as the column of an attribute stores it.
    func literal(_ value: Value, in attribute: ValueSlot) -> String

    /// The expression that converts the stored values of an attribute of the old model to those of
    /// an attribute of the new model; nil if the values stay the same.
    func conversion(of column: String, from old: ValueSlot, to new: ValueSlot) -> String?

    /// The condition that a number cannot be converted to the type of an attribute of the new
    /// model; nil if every number can.
    func misfit(of column: String, from old: ValueSlot, to new: ValueSlot) -> String?
}
