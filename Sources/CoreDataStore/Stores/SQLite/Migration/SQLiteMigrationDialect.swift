import CoreDataModel
import CoreDataSQL

/// The SQL of migrations in SQLite files.
struct SQLiteMigrationDialect: MigrationDialect {
    var rows: RowNames { .coreData }
    var insertUnlessStored: (verb: String, clause: String) { SQLiteDialect().insertUnlessStored }

    func literal(_ value: Value, in attribute: ValueSlot) -> String {
        let plain = SQLLiteral.text(value)
        return plain == "NULL" ? plain : attribute.writeExpression(of: plain)
    }

    func conversion(of column: String, from old: ValueSlot, to new: ValueSlot) -> String? {
        if old.isExternal != new.isExternal {
            return new.writeExpression(of: old.readExpression(of: column))
        }
        return NumericConversion(from: old.kind, to: new.kind)?.sql(column)
    }

    func misfit(of column: String, from old: ValueSlot, to new: ValueSlot) -> String? {
        NumericConversion(from: old.kind, to: new.kind).map { "\($0.sql(column)) IS NULL" }
    }
}
