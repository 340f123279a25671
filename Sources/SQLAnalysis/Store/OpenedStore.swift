import CoreDataEngine
import CoreDataModel
import CoreDataSQLite
import CoreDataStore
import CoreDataTrace
import Foundation
import LabFiles

/// A copy of a store for query plans and fetch trials. The original is never changed.
final class OpenedStore {
    let coordinator: NSPersistentStoreCoordinator
    private let backend: any ObjectStore
    /// The folder of the copy, which is removed with this object.
    private let folder: TemporaryFolder
    /// Whether the copy contains the user's rows. A store that is created from a model is empty.
    let hasRows: Bool

    private init(
        _ coordinator: NSPersistentStoreCoordinator, _ backend: any ObjectStore,
        folder: TemporaryFolder, hasRows: Bool
    ) {
        self.coordinator = coordinator
        self.backend = backend
        self.folder = folder
        self.hasRows = hasRows
    }

    deinit {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
        folder.remove()
    }

    var layout: ModelLayout { coordinator.frozenModel.layout }

    /// Copies the current state of a store, and opens the copy.
    ///
    /// - Parameter model: a model's path; nil for the model in the store.
    static func copy(of store: String, model: String?) throws(InputErrors) -> OpenedStore {
        let folder = try makeFolder(for: "a copy of the store")
        let copy = copyPath(in: folder)
        try StoreSnapshot(of: store, at: copy).make()
        let found =
            if let model { try ModelSource.model(at: model) } else {
                try ModelSource.model(inCopy: copy, of: store)
            }
        return try open(found, named: store, in: folder, hasRows: true)
    }

    private static func makeFolder(for what: String) throws(InputErrors) -> TemporaryFolder {
        do throws(FileProblem) { return try TemporaryFolder("store") } catch {
            throw InputErrors([
                InputError(
                    file: TemporaryFolder.base,
                    problem: "\(what) cannot be created here (\(error.what))",
                    remedy: error.instead)
            ])
        }
    }

    private static func copyPath(in folder: TemporaryFolder) -> String {
        folder.path + "/store.sqlite"
    }

    /// Creates an empty store from a model, for query plans.
    static func empty(model: String) throws(InputErrors) -> OpenedStore {
        try open(
            ModelSource.model(at: model), named: model, in: makeFolder(for: "an empty store"),
            hasRows: false)
    }

    private static func open(
        _ model: NSManagedObjectModel, named name: String, in folder: TemporaryFolder, hasRows: Bool
    ) throws(InputErrors) -> OpenedStore {
        do throws(CoreDataError) {
            let coordinator = try NSPersistentStoreCoordinator.make(model: model)
            var request = StoreRequest(
                model: coordinator.frozenModel, trace: coordinator.trace,
                location: .file(copyPath(in: folder)))
            request.describesModel = false
            let kind = try StoreKinds.required(NSSQLiteStoreType)
            let backend = try kind.opening(request)
            _ = try coordinator.add(backend, type: kind.type)
            return OpenedStore(coordinator, backend, folder: folder, hasRows: hasRows)
        } catch {
            throw InputErrors([
                InputError(
                    file: name, problem: Self.named(error.message, name, folder),
                    remedy: "name the model with which the store was created (--model)")
            ])
        }
    }

    /// The error message with the user's name of the store instead of the copy's path.
    private static func named(
        _ message: String, _ name: String, _ folder: TemporaryFolder
    ) -> String {
        let copy = copyPath(in: folder)
        return message.replacingOccurrences(of: copy + ": ", with: "")
            .replacingOccurrences(of: copy, with: name)
    }

    // MARK: Questions

    /// The lines of the query plan, indented by level; nil if SQLite refuses the statement.
    func plan(of sql: String) -> [String]? {
        let text = Self.withArrays(sql)
        guard let store = backend as? any ExplainingStore,
            let steps = try? store.queryPlan(of: text)
        else { return nil }
        var depths: [Int: Int] = [0: -1]
        return steps.map { step in
            let depth = (depths[step.parent] ?? -1) + 1
            depths[step.id] = depth
            return String(repeating: "  ", count: depth) + step.detail
        }
    }

    /// Removes the number from names such as `_Z_intarray0`, because the engine's function for key
    /// arrays has none.
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

    func plan(of sql: String, with candidates: [IndexCandidate]) -> [String]? {
        withIndexes(candidates) { plan(of: sql) }.flatMap(\.self)
    }

    /// Creates indexes on the copy, runs `body`, and removes the indexes.
    ///
    /// - Returns: nil if SQLite refuses an index.
    func withIndexes<T>(_ candidates: [IndexCandidate], _ body: () throws -> T) rethrows -> T? {
        var made: [String] = []
        defer { change(made.map { "DROP INDEX \($0)" }) }
        for (number, candidate) in candidates.enumerated() {
            let name = "\(IndexCandidate.name)\(number)"
            guard change([candidate.sql(named: name)]) else { return nil }
            made.append(name)
        }
        return try body()
    }

    /// Runs statements on a separate connection.
    ///
    /// - Returns: whether all statements succeeded.
    @discardableResult private func change(_ statements: [String]) -> Bool {
        do throws(SQLiteError) {
            let connection = try Connection(.file(Self.copyPath(in: folder)))
            for statement in statements { try connection.execute(statement) }
            return true
        } catch { return false }
    }

    /// The number of rows in an entity's table. Nil for other tables, and if the copy does not
    /// contain the user's rows.
    func rowCount(ofTable table: String) -> Int? {
        guard hasRows else { return nil }
        let entity = layout.entities.first { $0.tableName == table && $0.superIndex == nil }
        return entity.flatMap { try? backend.count(FetchPlan(entity: $0)) }
    }
}
