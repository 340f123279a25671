import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import LabScenario

/// The contents of the store before the sessions start, created once for a scenario.
struct StoreTemplate {
    enum Content {
        /// A store in memory, rewound before each schedule.
        case image(StoreMark)
        /// A file; its write-ahead log may be next to it.
        case file(String)
        /// Core Data's in-memory store, filled again before each schedule.
        case memory(SetupRunner)
        /// A store on a server, rewound before each schedule.
        case hosted(any HostedPlace, StoreMark)
    }

    let content: Content
    let kind: StoreSpec.Kind
    let journal: StoreSpec.Journal
    let tracksHistory: Bool
    let names: [String: ObjectKey]
    /// Whether contexts are pinned to the current query generation.
    var pinsContexts = false

    /// The identifier of the store. It is the same in every run, so that transcripts have no random
    /// parts.
    private static let identifier = "F0A17110-0000-4000-8000-000000000001"

    /// Creates the store, empty or as a copy, and then the rows of the setup.
    ///
    /// - Parameters:
    ///   - folder: the folder of the run; an existing store is first copied into it.
    ///   - host: the host of the store; nil for the store of the file.
    static func make(
        _ loaded: LoadedScenario, cell: MatrixCell, folder: String, host: (any StoreHost)?
    ) throws(CoreDataError) -> StoreTemplate {
        let scenario = loaded.scenario
        var kind = scenario.store.kind.resolved(in: cell) {
            StoreSpec.Kind(rawValue: $0) ?? .image
        }
        // Two stacks can share a store only in a file.
        if scenario.contexts(in: cell).contains(where: { $0.coordinator != nil }) { kind = .file }
        let journal = scenario.store.journal.resolved(in: cell) {
            StoreSpec.Journal(rawValue: $0) ?? .wal
        }
        let tracksHistory = scenario.usesHistory
        let setup = SetupRunner(statements: scenario.setup.flatMap(\.statements), cell: cell)
        if let host {
            let (place, mark, names) = try makeHosted(
                host, setup, model: loaded.model, tracksHistory: tracksHistory)
            return StoreTemplate(
                content: .hosted(place, mark), kind: kind, journal: journal,
                tracksHistory: tracksHistory, names: names, pinsContexts: host.pinsContexts)
        }
        if kind == .image {
            let coordinator = try openImage(
                nil, model: loaded.model, tracksHistory: tracksHistory)
            let names = try setup.run(on: coordinator)
            guard let store = coordinator.persistentStores.first else {
                throw CoreDataError(.storeOpen, "the in-memory store could not be opened")
            }
            return StoreTemplate(
                content: .image(try store.rewindable().mark()), kind: kind, journal: journal,
                tracksHistory: tracksHistory, names: names)
        }
        if kind == .memory {
            let names = try setup.run(on: try openMemory(model: loaded.model))
            return StoreTemplate(
                content: .memory(setup), kind: kind, journal: journal,
                tracksHistory: tracksHistory, names: names)
        }
        let path = "\(folder)/template.sqlite"
        if let source = loaded.copiedStore { try copyStore(from: source, to: path) }
        var names: [String: ObjectKey] = [:]
        if loaded.copiedStore == nil || !scenario.setup.isEmpty {
            let coordinator = try openFile(
                path, kind, model: loaded.model, journal: journal, tracksHistory: tracksHistory)
            names = try setup.run(on: coordinator)
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
        }
        return StoreTemplate(
            content: .file(path), kind: kind, journal: journal, tracksHistory: tracksHistory,
            names: names)
    }

    /// - Parameter mark: the contents of the store; nil for an empty store.
    static func openImage(
        _ mark: StoreMark?, model: NSManagedObjectModel, tracksHistory: Bool
    ) throws(CoreDataError) -> NSPersistentStoreCoordinator {
        let coordinator = try NSPersistentStoreCoordinator.make(model: model)
        var request = StoreRequest(
            model: coordinator.frozenModel, trace: coordinator.trace, location: .memory(nil),
            options: tracksHistory ? [NSPersistentHistoryTrackingKey: NSNumber(value: true)] : nil)
        request.identifier = identifier
        request.mark = mark
        request.describesModel = false
        let kind = try StoreKinds.required(NSSQLiteStoreType)
        _ = try coordinator.add(try kind.opening(request), type: kind.type)
        return coordinator
    }

    /// Creates and fills a hosted store.
    private static func makeHosted(
        _ host: any StoreHost, _ setup: SetupRunner, model: NSManagedObjectModel,
        tracksHistory: Bool
    ) throws(CoreDataError) -> (any HostedPlace, StoreMark, [String: ObjectKey]) {
        let place = try host.makePlace()
        do throws(CoreDataError) {
            let coordinator = try openHosted(place, model: model, tracksHistory: tracksHistory)
            try place.prepare(coordinator.frozenModel.layout)
            let names = try setup.run(on: coordinator)
            guard let store = coordinator.persistentStores.first else {
                throw CoreDataError(
                    .storeOpen, "the store at \(place.url.withoutPassword) could not be opened")
            }
            let mark = try store.rewindable().mark()
            try? coordinator.remove(store)
            return (place, mark, names)
        } catch {
            place.remove()
            throw error
        }
    }

    static func openHosted(
        _ place: any HostedPlace, model: NSManagedObjectModel, tracksHistory: Bool
    ) throws(CoreDataError) -> NSPersistentStoreCoordinator {
        let coordinator = try NSPersistentStoreCoordinator.make(model: model)
        let kind = try StoreKinds.required(place.type)
        var request = StoreRequest(
            model: coordinator.frozenModel, trace: coordinator.trace,
            location: try kind.location(of: place.url),
            options: tracksHistory ? [NSPersistentHistoryTrackingKey: NSNumber(value: true)] : nil)
        request.identifier = identifier
        request.describesModel = false
        _ = try coordinator.add(try kind.opening(request), type: kind.type)
        return coordinator
    }

    static func openMemory(
        model: NSManagedObjectModel
    ) throws(CoreDataError) -> NSPersistentStoreCoordinator {
        let coordinator = try NSPersistentStoreCoordinator.make(model: model)
        _ = try coordinator.add(
            type: NSInMemoryStoreType, configuration: nil, url: nil, options: nil)
        return coordinator
    }

    /// - Parameter waits: whether to wait for locks of other connections.
    static func openFile(
        _ path: String, _ kind: StoreSpec.Kind, model: NSManagedObjectModel,
        journal: StoreSpec.Journal, tracksHistory: Bool, waits: Bool = true
    ) throws(CoreDataError) -> NSPersistentStoreCoordinator {
        let coordinator = try NSPersistentStoreCoordinator.make(model: model)
        if kind == .xml || kind == .binary {
            _ = try coordinator.add(
                type: kind == .xml ? NSXMLStoreType : NSBinaryStoreType, configuration: nil,
                url: URL(fileURLWithPath: path), options: nil)
            return coordinator
        }
        // Writes are not synced, because the store need not survive a power failure. Otherwise
        // schedules would mostly wait for the disk.
        let pragmas = ["journal_mode": journal.rawValue.uppercased(), "synchronous": "OFF"]
        var options: [AnyHashable: Any] = [NSSQLitePragmasOption: pragmas as NSDictionary]
        if tracksHistory { options[NSPersistentHistoryTrackingKey] = NSNumber(value: true) }
        if !waits { options[NSPersistentStoreTimeoutOption] = NSNumber(value: 0) }
        _ = try coordinator.add(
            type: NSSQLiteStoreType, configuration: nil, url: URL(fileURLWithPath: path),
            options: options)
        return coordinator
    }

    /// Copies a store with its write-ahead log over existing files. The source is only read.
    static func copyStore(from source: String, to target: String) throws(CoreDataError) {
        let files = FileManager.default
        do {
            for suffix in ["", "-wal", "-shm", "-journal"] {
                if files.fileExists(atPath: target + suffix) {
                    try files.removeItem(atPath: target + suffix)
                }
            }
            for suffix in ["", "-wal"] where files.fileExists(atPath: source + suffix) {
                try files.copyItem(atPath: source + suffix, toPath: target + suffix)
                try files.setAttributes(
                    [.posixPermissions: NSNumber(value: 0o644)], ofItemAtPath: target + suffix)
            }
        } catch {
            throw CoreDataError(.storeOpen, "the store cannot be copied: \(error)")
        }
    }
}

/// Inserts the rows of a setup and saves them together.
struct SetupRunner {
    let statements: [Statement]
    let cell: MatrixCell

    /// - Returns: the named objects.
    func run(on coordinator: NSPersistentStoreCoordinator) throws(CoreDataError) -> [String:
        ObjectKey]
    {
        let queue = SteppedQueue(label: "setup")
        let context = NSManagedObjectContext(
            concurrencyType: .privateQueueConcurrencyType, queue: queue)
        try context.attach(to: coordinator)
        return try queue.runAndWait { () throws(CoreDataError) in
            var objects: [String: NSManagedObject] = [:]
            // Objects without a name must also live until they are saved.
            var all: [NSManagedObject] = []
            for statement in statements { try run(statement, context, &objects, &all) }
            if context.hasChanges { try context.saveChanges() }
            return objects.mapValues(\.objectKey)
        }
    }

    private func run(
        _ statement: Statement, _ context: NSManagedObjectContext,
        _ objects: inout [String: NSManagedObject], _ all: inout [NSManagedObject]
    ) throws(CoreDataError) {
        // A setup contains no other statements. The check of the scenario reports them.
        guard case .object(let action) = statement.action else { return }
        switch action {
        case .insert(let entity, let name, let values):
            let object = try context.insertObject(entityNamed: entity.value)
            all.append(object)
            for assignment in values {
                try set(assignment.key.value, of: object, to: assignment.value, objects)
            }
            if let name { objects[name.value] = object }
        case .set(let assignments):
            for assignment in assignments {
                guard let object = objects[assignment.path.object.name.value],
                    let key = assignment.path.keys.last
                else { continue }
                try set(key.value, of: object, to: assignment.value, objects)
            }
        case .relate(let path, let others):
            guard let object = objects[path.object.name.value], let key = path.keys.last else {
                return
            }
            let added = others.compactMap { objects[$0.name.value] }
            try Relating.add(added, to: key.value, of: object)
        default: break
        }
    }

    private func set(
        _ key: String, of object: NSManagedObject, to operand: StepValue,
        _ objects: [String: NSManagedObject]
    ) throws(CoreDataError) {
        switch operand {
        case .reference(let reference):
            try object.writeValue(objects[reference.name.value], forKey: key)
        case .literal(let literal): try set(key, of: object, to: literal.value)
        case .parameter(let name): try set(key, of: object, to: cell[name.value]?.value ?? .null)
        case .path, .sum, .difference, .product:
            throw CoreDataError(
                .unsupported, "the setup computes '\(key)'; write a literal value")
        }
    }

    private func set(
        _ key: String, of object: NSManagedObject, to literal: Literal
    ) throws(CoreDataError) {
        guard let slot = object.layout.valueSlot(named: key) else {
            return try object.writeValue(nil, forKey: key)
        }
        let kind = object.layout.values[slot].kind
        if kind == .toOne { return try object.writeValue(nil, forKey: key) }
        try object.setValue(LiteralCoding.value(literal, as: kind) ?? .null, at: slot)
    }
}
