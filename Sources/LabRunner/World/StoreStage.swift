import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataSQLite
import CoreDataStore
import CoreDataTrace
import Foundation
import LabScenario

/// Owns the store of a world, resets it before each schedule, and reads it without contexts. A
/// SQLite store in memory and a hosted store are reset on the same connection. A file is replaced
/// by a new copy, and Core Data's in-memory store is filled again.
final class StoreStage {
    private let template: StoreTemplate
    private let model: NSManagedObjectModel
    private let path: String
    private(set) var coordinators: [String: NSPersistentStoreCoordinator] = [:]
    private let coordinatorNames: [String]
    /// Whether a statement waits for a lock. If only one thread runs at a time, waiting is useless,
    /// because no other thread can release the lock.
    private let waitsForLocks: Bool
    private var listeners: [any EventSink] = []
    /// Connections that act as other processes, by the index of the context whose session uses
    /// them.
    private var outsiders: [Int: Connection] = [:]

    /// - Parameters:
    ///   - names: the coordinators that contexts name.
    ///   - folder: the folder of the run, for a store in a file.
    ///   - waitsForLocks: whether threads run concurrently.
    init(
        template: StoreTemplate, model: NSManagedObjectModel, coordinators names: [String],
        folder: String, waitsForLocks: Bool
    ) {
        self.waitsForLocks = waitsForLocks
        self.template = template
        self.model = model
        coordinatorNames = names
        path = "\(folder)/store.sqlite"
    }

    /// The coordinator that observers use.
    var main: NSPersistentStoreCoordinator {
        // Safe: `reset` creates every named coordinator before anything runs.
        coordinators[coordinatorNames[0]]!
    }

    func reset() throws(CoreDataError) {
        outsiders = [:]
        switch template.content {
        case .image(let mark):
            if let coordinator = coordinators[coordinatorNames[0]],
                let store = coordinator.persistentStores.first
            {
                try store.rewindable().rewind(to: mark)
                coordinator.rowCache.removeAll()
            } else {
                let made = try StoreTemplate.openImage(
                    mark, model: model, tracksHistory: template.tracksHistory)
                for listener in listeners { made.trace.add(listener) }
                coordinators[coordinatorNames[0]] = made
            }
        case .file(let source): try resetFile(from: source)
        case .hosted(let place, let mark): try resetHosted(place, to: mark)
        case .memory(let setup):
            closeStores()
            let made = try StoreTemplate.openMemory(model: model)
            _ = try setup.run(on: made)
            made.rowCache.removeAll()
            for listener in listeners { made.trace.add(listener) }
            coordinators[coordinatorNames[0]] = made
        }
    }

    private func resetHosted(
        _ place: any HostedPlace, to mark: StoreMark
    ) throws(CoreDataError) {
        place.endOutsiders()
        for name in coordinatorNames where coordinators[name]?.persistentStores.isEmpty ?? true {
            let made = try StoreTemplate.openHosted(
                place, model: model, tracksHistory: template.tracksHistory)
            for listener in listeners { made.trace.add(listener) }
            coordinators[name] = made
        }
        // Each coordinator also forgets the primary keys that it has reserved.
        for coordinator in coordinators.values {
            for store in coordinator.persistentStores { try store.rewindable().rewind(to: mark) }
            coordinator.rowCache.removeAll()
        }
    }

    private func resetFile(from source: String) throws(CoreDataError) {
        closeStores()
        try StoreTemplate.copyStore(from: source, to: path)
        for name in coordinatorNames {
            let made = try StoreTemplate.openFile(
                path, template.kind, model: model, journal: template.journal,
                tracksHistory: template.tracksHistory, waits: waitsForLocks)
            for listener in listeners { made.trace.add(listener) }
            coordinators[name] = made
        }
    }

    func listen(_ listener: any EventSink) {
        listeners.append(listener)
        for coordinator in coordinators.values { coordinator.trace.add(listener) }
    }

    func leave(_ listener: any EventSink) {
        listeners.removeAll { $0 === listener }
        for coordinator in coordinators.values { coordinator.trace.remove(listener) }
    }

    /// Runs a statement on behalf of another process, on a connection that does not wait for locks.
    ///
    /// - Parameter outsider: the number of the process.
    func runOutside(_ sql: String, by outsider: Int) throws(StatementProblem) -> ObservedValue {
        if case .hosted(let place, _) = template.content {
            return try place.answer(sql, by: outsider)
        }
        do throws(SQLiteError) { return try runInFile(sql, by: outsider) } catch {
            throw StatementProblem(
                source: "SQLite error \(error.code)", code: Int(error.code),
                message: error.message)
        }
    }

    private func runInFile(_ sql: String, by outsider: Int) throws(SQLiteError) -> ObservedValue {
        let connection: Connection
        if let known = outsiders[outsider] {
            connection = known
        } else {
            var options = Connection.Options()
            options.createsFile = false
            options.busyTimeoutMilliseconds = 0
            options.isConfined = true
            connection = try Connection(.file(path), options: options)
            outsiders[outsider] = connection
        }
        return try Self.answer(to: sql, on: connection)
    }

    /// Opens the file with a model that has more constraints, as a later version of an app would,
    /// and closes it.
    func migrate(unique: [(entity: String, key: String)]) throws(CoreDataError) {
        guard let next = model.copy(with: nil) as? NSManagedObjectModel else { return }
        for (entity, key) in unique {
            let description = next.entitiesByName[entity]
            description?.uniquenessConstraints =
                (description?.uniquenessConstraints ?? []) + [[key]]
        }
        let coordinator = try NSPersistentStoreCoordinator.make(model: next)
        var options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true,
            NSInferMappingModelAutomaticallyOption: true,
        ]
        if !waitsForLocks { options[NSPersistentStoreTimeoutOption] = NSNumber(value: 0) }
        let store = try coordinator.add(
            type: NSSQLiteStoreType, configuration: nil, url: URL(fileURLWithPath: path),
            options: options)
        try? coordinator.remove(store)
    }

    /// Closes the stores, and removes a hosted store.
    func close() {
        closeStores()
        if case .hosted(let place, _) = template.content { place.remove() }
    }

    private func closeStores() {
        outsiders = [:]
        for coordinator in coordinators.values {
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
        }
        coordinators = [:]
    }

    /// Leaks stores that a hanging thread may still use, so that they are never closed.
    func abandon() {
        for coordinator in coordinators.values { _ = Unmanaged.passRetained(coordinator) }
        coordinators = [:]
    }

    // MARK: Reading without contexts

    /// Calls `body` with every row of the store, read without the row cache and contexts. Executes
    /// one SELECT for each root entity.
    func rows(_ body: (RowReference) -> Void) throws(CoreDataError) {
        guard let store = main.persistentStores.first else { return }
        for entity in main.frozenModel.layout.entities where entity.superIndex == nil {
            let fetched = try store.backend.fetchRows(FetchPlan(entity: entity), generation: 0)
            for block in fetched.blocks {
                for index in 0..<block.count { body(RowReference(block: block, index: index)) }
            }
        }
    }

    /// Returns the first column of a statement on a second connection.
    func select(_ sql: String) throws(CoreDataError) -> ObservedValue {
        if case .hosted(let place, _) = template.content {
            do throws(StatementProblem) { return try place.answer(sql, by: nil) } catch {
                throw CoreDataError(.storeOperation, "\(error.source): \(error.message)")
            }
        }
        if !template.kind.isSQLite {
            throw CoreDataError(
                .unsupported, "a store of the kind '\(template.kind.rawValue)' does not answer SQL")
        }
        do throws(SQLiteError) {
            return try Self.answer(to: sql, on: try observingConnection())
        } catch {
            throw CoreDataError(.sqlite, "\(error)")
        }
    }

    /// The maximum number of rows that a statement of a scenario file may return.
    private static let rowsMax = 10_000
    /// `SQLITE_TOOBIG`.
    private static let tooBig: Int32 = 18

    private static func answer(
        to sql: String, on connection: Connection
    ) throws(SQLiteError) -> ObservedValue {
        try connection.asGuest { () throws(SQLiteError) in
            let statement = try connection.statement(sql)
            defer { statement.finish() }
            return try firstColumn(of: statement)
        }
    }

    private static func firstColumn(
        of statement: CoreDataSQLite.Statement
    ) throws(SQLiteError) -> ObservedValue {
        var values: [ObservedValue] = []
        var bytes = 0
        while try statement.step() {
            switch statement.value(0).storageClass {
            case .null: values.append(.null)
            case .integer: values.append(.integer(statement.integer(0)))
            case .real: values.append(.number(statement.double(0)))
            case .text: values.append(.text(statement.text(0)))
            case .blob: values.append(.text("a blob"))
            }
            if case .text(let text)? = values.last { bytes += text.utf8.count }
            guard values.count <= rowsMax, bytes <= Connection.confinedBytes else {
                throw SQLiteError(
                    extendedCode: tooBig, message: "the statement returns too much data")
            }
        }
        return values.isEmpty ? .none : values.count == 1 ? values[0] : .list(values)
    }

    private func observingConnection() throws(SQLiteError) -> Connection {
        var options = Connection.Options()
        options.isConfined = true
        switch template.content {
        case .file:
            options.isReadOnly = true
            return try Connection(.file(path), options: options)
        case .image, .memory, .hosted:
            let connection = try Connection(.memory, options: options)
            if let mark = try? main.persistentStores.first?.rewindable().mark(),
                let image = mark.image
            {
                try connection.replace(with: image)
            }
            return connection
        }
    }
}
