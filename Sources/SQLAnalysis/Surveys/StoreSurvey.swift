import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import CoreDataStore
import Foundation
import LabFiles

/// Tests a copy of every store below a folder, for the command `store --all`.
///
/// The store must open with the model that it contains. The engine must read the same rows and
/// values as plain SQL. Then one object of each entity is changed and saved, and the rest of the
/// store must stay the same.
package struct StoreSurvey {
    private let folder: String

    package init(folder: String) { self.folder = folder }

    package func run() -> SurveyResult {
        var result = SurveyResult(subject: "stores")
        for path in SurveyFiles(folder: folder).stores() {
            do {
                try Self.check(at: folder + "/" + path)
                result.note(path, nil)
            } catch {
                result.note(path, ModelSurvey.firstLine(of: error))
            }
        }
        return result
    }

    private static func check(at path: String) throws {
        let scratch = try TemporaryFolder("store")
        defer { scratch.remove() }
        let copy = scratch.path + "/store.sqlite"
        try StoreSnapshot(of: path, at: copy).make()
        let model = try ModelSource.model(inCopy: copy, of: path)
        SurveyTransformer.stand(inFor: model)
        let before = try StoreFace(copy)
        let coordinator = try NSPersistentStoreCoordinator.make(model: model)
        _ = try coordinator.add(
            type: NSSQLiteStoreType, configuration: nil, url: URL(fileURLWithPath: copy),
            options: before.hasHistory ? [NSPersistentHistoryTrackingKey: true] : nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        try context.attach(to: coordinator)
        try context.performAndWait {
            for entity in model.entities where entity.superentity == nil {
                try compare(entity, copy, context)
            }
            try change(model, context)
            context.reset()
        }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        try before.compare(with: StoreFace(copy))
    }

    // MARK: Rows

    private static func compare(
        _ entity: NSEntityDescription, _ path: String, _ context: NSManagedObjectContext
    ) throws {
        // Stored values are compared, because the classes of archived objects may exist only in the
        // app.
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        let objects = try context.fetch(request)
        let connection = try Connection(.file(path), options: Connection.Options())
        let table = entity.layout.tableName
        let count = try connection.firstText("SELECT COUNT(*) FROM \(table)") ?? ""
        guard count == "\(objects.count)" else {
            throw SurveyProblem("\(table) has \(count) rows, \(objects.count) objects were fetched")
        }
        for object in objects { try compare(object, table, connection) }
    }

    private static func compare(
        _ object: NSManagedObject, _ table: String, _ connection: Connection
    ) throws {
        let slots = object.layout.values.filter { $0.column != nil && $0.toOne == nil }
        let columns = slots.compactMap(\.column)
        guard !columns.isEmpty else { return }
        let statement = try connection.statement(
            "SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE Z_PK = ?")
        defer { statement.finish() }
        statement.bind(1, integer: object.objectKey.key)
        guard try statement.step() else { throw SurveyProblem("a row of \(table) is missing") }
        for (column, slot) in slots.enumerated() {
            guard let number = object.layout.valueSlot(named: slot.name) else { continue }
            let value = try object.value(at: number)
            guard isSame(value, slot, statement, column) else {
                throw SurveyProblem("\(table).\(slot.column ?? "") is read as \(value)")
            }
        }
    }

    private static func isSame(
        _ value: Value, _ slot: ValueSlot, _ statement: Statement, _ column: Int
    ) -> Bool {
        if statement.isNull(column) { return value == .null }
        switch value {
        case .integer(let integer): return integer == statement.integer(column)
        case .double(let double): return double == statement.double(column)
        case .string(let text): return text == statement.text(column)
        case .decimal(let decimal):
            // The store can contain a decimal number as a double or as text.
            return Double("\(decimal)") == statement.double(column)
                || Decimal(string: statement.text(column)) == decimal
        case .uuid(let uuid):
            return withUnsafeBytes(of: uuid.uuid) {
                $0.elementsEqual(statement.value(column).bytes)
            }
        case .data(let data):
            let stored = statement.value(column).bytes
            guard slot.isExternal else { return data.elementsEqual(stored) }
            // If the first byte is 2, the value is in a file next to the original store. It is not
            // compared.
            return stored.first == 2 || data.elementsEqual(stored.dropFirst())
        case .null: return slot.isExternal && statement.value(column).bytes.first == 2
        case .reference, .object: return false
        }
    }

    // MARK: Saving

    /// Saves another value, and then the original one again.
    private static func change(
        _ model: NSManagedObjectModel, _ context: NSManagedObjectContext
    ) throws {
        for entity in model.entities where !entity.isAbstract {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.includesSubentities = false
            request.fetchLimit = 1
            guard let object = try context.fetch(request).first,
                let (key, value) = try changeable(object)
            else { continue }
            let old = try object.readValue(forKey: key)
            try object.writeValue(value, forKey: key)
            try context.saveChanges()
            try object.writeValue(old, forKey: key)
            try context.saveChanges()
        }
    }

    private static func changeable(_ object: NSManagedObject) throws -> (String, Any)? {
        for case let attribute as NSAttributeDescription in object.entity.properties {
            guard !attribute.isTransient, attribute.validationPredicates.isEmpty else { continue }
            switch attribute.attributeType {
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
                return (attribute.name, NSNumber(value: 77))
            case .stringAttributeType: return (attribute.name, "survey")
            default: continue
            }
        }
        return nil
    }
}

/// The parts of a store that saving an object must not change.
private struct StoreFace {
    private let schema: String
    private let cache: String
    private let hashes: [String: Data]
    private let integrity: String
    /// Whether the store has history tables. If they contain transactions, the store is read-only
    /// unless it is opened with history tracking.
    let hasHistory: Bool

    init(_ path: String) throws {
        let connection = try Connection(.file(path), options: Connection.Options())
        schema =
            try connection.firstText(
                "SELECT group_concat(name || ' ' || ifnull(sql, ''), char(10)) FROM"
                    + " (SELECT name, sql FROM sqlite_master ORDER BY name)") ?? ""
        let hasCache = schema.contains("\nZ_MODELCACHE ")
        cache =
            hasCache
            ? try connection.firstText("SELECT hex(Z_CONTENT) FROM Z_MODELCACHE") ?? "" : ""
        integrity = try connection.firstText("PRAGMA integrity_check") ?? ""
        hasHistory = schema.contains("ATRANSACTION ")
        let metadata = try StoreInspection.read(path).metadata
        hashes = metadata[VersionDigest.hashesKey] as? [String: Data] ?? [:]
    }

    func compare(with other: StoreFace) throws {
        guard other.integrity == "ok" else {
            throw SurveyProblem("integrity check after a save: \(other.integrity)")
        }
        guard schema == other.schema else { throw SurveyProblem("a save has changed the schema") }
        guard cache == other.cache else { throw SurveyProblem("a save has changed its model") }
        guard hashes == other.hashes else { throw SurveyProblem("a save has changed the hashes") }
    }
}
