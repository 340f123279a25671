import CoreDataEngine
import CoreDataModel
import CoreDataSQLite
import CoreDataStore
import CoreDataTrace
import Foundation
import LabFiles
import LabResults

/// A store of the tool's own; what it was copied from is never touched.
///
/// Log reading asks it for plans, fetch trials run on it.
final class OpenedStore {
    let coordinator: NSPersistentStoreCoordinator
    private let backend: SQLiteStore
    /// The folder of the copy, removed at the end.
    private let folder: TemporaryFolder?
    /// Whether it has a user's rows.
    var hasRows: Bool { folder != nil }

    private init(
        _ coordinator: NSPersistentStoreCoordinator, _ backend: SQLiteStore,
        folder: TemporaryFolder?
    ) {
        self.coordinator = coordinator
        self.backend = backend
        self.folder = folder
    }

    deinit {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
        folder?.remove()
    }

    var layout: ModelLayout { coordinator.frozenModel.layout }

    /// Copies a store as it is at one moment, and opens the copy.
    ///
    /// - Parameter model: a model's path; nil for the one that the store carries.
    static func copy(of store: String, model: String?) throws(InputErrors) -> OpenedStore {
        let folder: TemporaryFolder
        do throws(FileProblem) { folder = try TemporaryFolder("store") } catch {
            throw InputErrors([
                InputError(
                    file: TemporaryFolder.base,
                    problem: "no copy of the store can be put here (\(error.what))",
                    remedy: error.instead)
            ])
        }
        let copy = copyPath(in: folder)
        try StoreSnapshot(of: store, at: copy).make()
        let found =
            if let model { try ModelSource.model(at: model) } else {
                try ModelSource.model(inCopy: copy, of: store)
            }
        return try open(.file(copy), found, named: store, folder: folder)
    }

    private static func copyPath(in folder: TemporaryFolder) -> String {
        folder.path + "/store.sqlite"
    }

    /// An empty store of a model, for plans alone.
    static func empty(model: String) throws(InputErrors) -> OpenedStore {
        try open(.image([]), ModelSource.model(at: model), named: model, folder: nil)
    }

    private static func open(
        _ location: SQLiteStoreOptions.Location, _ model: NSManagedObjectModel, named name: String,
        folder: TemporaryFolder?
    ) throws(InputErrors) -> OpenedStore {
        do throws(CoreDataError) {
            let coordinator = try NSPersistentStoreCoordinator.make(model: model)
            let backend = try SQLiteStore(
                SQLiteStoreOptions(location), layout: coordinator.frozenModel.layout,
                trace: coordinator.trace)
            _ = try coordinator.add(backend, type: NSSQLiteStoreType)
            return OpenedStore(coordinator, backend, folder: folder)
        } catch {
            throw InputErrors([
                InputError(
                    file: name, problem: Self.named(error.message, name, folder),
                    remedy: "name the model that the store was made with (--model)")
            ])
        }
    }

    /// The message without the place of the copy, which nobody asked for.
    private static func named(_ message: String, _ name: String, _ folder: TemporaryFolder?)
        -> String
    {
        guard let folder else { return message }
        let copy = copyPath(in: folder)
        return message.replacingOccurrences(of: copy + ": ", with: "")
            .replacingOccurrences(of: copy, with: name)
    }

    // MARK: Questions

    /// The plan's lines, indented by level; nil where SQLite does not take the text.
    func plan(of sql: String) -> [String]? {
        guard let steps = try? backend.queryPlan(of: Self.withArrays(sql)) else { return nil }
        var depths: [Int: Int] = [0: -1]
        return steps.map { step in
            let depth = (depths[step.parent] ?? -1) + 1
            depths[step.id] = depth
            return String(repeating: "  ", count: depth) + step.detail
        }
    }

    /// Core Data's tables of bound arrays have numbers; the function that stands for them has none.
    private static func withArrays(_ sql: String) -> String {
        guard sql.contains("_Z_intarray") else { return sql }
        var result = ""
        var rest = sql[...]
        while let range = rest.range(of: "_Z_intarray") {
            result += rest[..<range.upperBound]
            rest = rest[range.upperBound...]
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            if !digits.isEmpty, rest.first != "(" { result += "(?)" }
        }
        return result + rest
    }

    /// Makes an index on the copy while a body runs, and takes it away.
    ///
    /// - Returns: nil where there is no copy, or SQLite refuses the index.
    func withIndex<T>(_ sql: String, named name: String, _ body: () throws -> T) throws -> T? {
        guard let folder else { return nil }
        do throws(SQLiteError) {
            let connection = try Connection(.file(Self.copyPath(in: folder)))
            try connection.execute(sql)
        } catch { return nil }
        defer {
            if let connection = try? Connection(.file(Self.copyPath(in: folder))) {
                _ = try? connection.execute("DROP INDEX \(name)")
            }
        }
        return try body()
    }

    /// The rows of an entity's table, or of the table that a name stands for; nil without rows.
    func rowCount(ofTable table: String) -> Int? {
        guard hasRows else { return nil }
        let entity = layout.entities.first { $0.tableName == table && $0.superIndex == nil }
        return entity.flatMap { try? backend.count(FetchPlan(entity: $0)) }
    }
}
