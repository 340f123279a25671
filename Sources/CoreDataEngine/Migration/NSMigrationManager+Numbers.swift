import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Converts numbers whose type changes during a migration.
extension NSMigrationManager {
    /// The value of an attribute mapping, in the type of the destination.
    ///
    /// If the expression is a property of the source whose number has another type, the number is
    /// converted as in an inferred migration. The value of any other expression is unchanged.
    ///
    /// - Throws: 134110 for a number that does not fit.
    func converted(
        _ value: Any?, by expression: NSExpression, of source: NSManagedObject,
        to name: String, of entity: NSEntityDescription
    ) throws(CoreDataError) -> Any? {
        guard let value, case .path(let target, let keys) = expression.node, keys.count == 1,
            target.expressionType == .variable, target.variable == NSMigrationSourceObjectKey,
            let old = Self.kind(of: keys[0], in: source.entity),
            let new = Self.kind(of: name, in: entity),
            let conversion = NumericConversion(from: old, to: new),
            let number = AttributeCoding.value(from: value, kind: old), !number.isNull
        else { return value }
        guard let fitting = conversion.value(of: number) else {
            throw .numberDoesNotFit("\(value)", name, entity.name ?? "")
        }
        return AttributeCoding.object(from: fitting, kind: new)
    }

    private static func kind(of name: String, in entity: NSEntityDescription) -> ValueKind? {
        let layout = entity.layout
        return layout.valueSlot(named: name).map { layout.values[$0].kind }
    }
}
