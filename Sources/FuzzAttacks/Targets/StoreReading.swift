import CoreData
import CoreDataEngine
import CoreDataStore
import Foundation

/// Reads all contents of a store, changes every object, saves, and reads again.
///
/// It calls internal methods of the engine. They throw errors for which the public methods would
/// end the process.
struct StoreReading {
    /// Every value of every object as text, by the object's name.
    typealias Content = [String: [String]]

    let coordinator: NSPersistentStoreCoordinator

    private func context() throws(CoreDataError) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        try context.attach(to: coordinator)
        return context
    }

    func content() throws(CoreDataError) -> Content {
        let context = try context()
        return try context.performAndWait { () throws(CoreDataError) in
            var content: Content = [:]
            for object in try objects(context) { content[Self.name(object)] = try values(object) }
            return content
        }
    }

    private func objects(
        _ context: NSManagedObjectContext
    ) throws(CoreDataError) -> [NSManagedObject] {
        var all: [NSManagedObject] = []
        for entity in coordinator.frozenModel.layout.entities where entity.superIndex == nil {
            let found = try context.fetchResults(FetchRequestOptions(entityName: entity.name))
            if case .objects(let objects) = found { all += objects }
        }
        return all
    }

    private static func name(_ object: NSManagedObject) -> String {
        "\(object.objectKey.entity)/\(object.objectKey.key)"
    }

    private func values(_ object: NSManagedObject) throws(CoreDataError) -> [String] {
        let layout = coordinator.frozenModel.layout[Int(object.objectKey.entity)]
        var values: [String] = []
        for slot in layout.values.indices {
            if layout.isToOne(slot) {
                values.append(try object.toOneDestination(slot).map(Self.name) ?? "none")
            } else {
                values.append("\(try object.value(at: slot))")
                // Also reads the value as a program does. The engine converts it from the stored
                // value.
                _ = try object.readValue(forKey: layout.values[slot].name)
            }
        }
        for (slot, relationship) in layout.toMany.enumerated() {
            let members = try object.toManyMembers(slot).map(Self.name)
            values.append(
                (relationship.isOrdered ? members : members.sorted()).joined(separator: ","))
        }
        return values
    }

    /// Renames each object, and saves.
    func change() throws(CoreDataError) {
        let context = try context()
        try context.performAndWait { () throws(CoreDataError) in
            for object in try objects(context) {
                try object.writeValue("changed", forKey: "name")
            }
            try context.saveChanges()
        }
    }

    /// Reads the history with every function that returns it.
    func history() throws(CoreDataError) {
        let context = try context()
        try context.performAndWait { () throws(CoreDataError) in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(
                after: nil as NSPersistentHistoryToken?)
            do {
                let result = try context.execute(request) as? NSPersistentHistoryResult
                let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
                for transaction in transactions {
                    _ = transaction.objectIDNotification()
                    for change in transaction.changes ?? [] {
                        _ = (change.changedObjectID, change.updatedProperties, change.tombstone)
                    }
                    _ = try context.execute(
                        NSPersistentHistoryChangeRequest.fetchHistory(after: transaction.token))
                }
            } catch let error as CoreDataError {
                throw error
            } catch {
                throw CoreDataError(.invalidArgument, "\(error)")
            }
        }
    }
}
