import CoreData
import Glibc

/// A kind of store in which programs run.
enum ProgramStore: String, CaseIterable, Sendable {
    case sqlite = "SQLite"
    case memory = "in memory"
    case binary = "binary"
    case xml = "XML"

    var type: String {
        switch self {
        case .sqlite: NSSQLiteStoreType
        case .memory: NSInMemoryStoreType
        case .binary: NSBinaryStoreType
        case .xml: NSXMLStoreType
        }
    }

    var hasFile: Bool { self != .memory }

    /// Removes the store's file, and the files that SQLite creates next to it.
    func clear(_ folder: String) {
        for suffix in ["", "-wal", "-shm"] { unlink(path(folder) + suffix) }
    }

    func path(_ folder: String) -> String { "\(folder)/program.\(type)" }

    func open(
        _ folder: String, _ model: NSManagedObjectModel
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil,
            at: hasFile ? URL(fileURLWithPath: path(folder)) : nil, options: nil)
        return coordinator
    }
}
