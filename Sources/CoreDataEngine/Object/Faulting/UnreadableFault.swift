import CoreDataModel
import CoreDataStore
import Foundation

/// Reading properties where the signature cannot throw and the store may be out of reach.
extension NSManagedObject {
    /// Runs the throwing core of a read. A fault that the store's surroundings keep from firing
    /// goes to the coordinator's handler; everything else ends the process.
    @inline(__always)
    final func reading<T>(
        _ key: @autoclosure () -> String?, _ body: () throws(CoreDataError) -> T
    ) -> T {
        do { return try body() } catch { return readingOn(after: error, key(), body) }
    }

    /// Makes objects inaccessible until the body succeeds, as long as the handler says so.
    @inline(never)
    final func readingOn<T>(
        after error: CoreDataError, _ key: String?, _ body: () throws(CoreDataError) -> T
    ) -> T {
        var error = error
        while error.isOfEnvironment {
            let object = unreadable(error)
            guard object.respond(to: error, key: object === self ? key : nil) else { break }
            object.becomeInaccessible()
            do { return try body() } catch let next { error = next }
        }
        trap(error.concerning(objectKey).naming(objectID, key))
    }

    /// Goes on as above after the fault that an access by slot meets could not be fired. Every
    /// access would pay for a body that it makes itself.
    @inline(never)
    final func firingOn(after error: CoreDataError, _ slot: Int) {
        readingOn(after: error, layout.values[slot].name) { () throws(CoreDataError) in
            try prepareAccess()
        }
    }

    /// The object whose fault could not be fired; another one where a relationship was followed.
    private func unreadable(_ error: CoreDataError) -> NSManagedObject {
        guard let key = error.objects.first, key != objectKey else { return self }
        return registry?.registered(key) ?? self
    }

    /// Asks the coordinator's handler.
    ///
    /// - Returns: whether the object is to become inaccessible; false without a handler.
    final func respond(to error: CoreDataError, key: String?) -> Bool {
        guard let handler = registry?.context?.persistentStoreCoordinator?.faultFailureHandler
        else { return false }
        // An object that fails again although it is inaccessible would be asked for ever.
        let canGoOn =
            state.isDisjoint(with: [.inserted, .updated, .deleted, .inaccessible])
        let failure = NSPersistentStoreCoordinator.FaultFailure(
            storeURL: registry?.store(for: layout, key: self.key)?.url, entityName: layout.name,
            objectID: objectID, key: key, error: error.nsError, canGoOn: canGoOn)
        return handler(failure) == .makeInaccessible && canGoOn
    }

    final func becomeInaccessible() {
        take(nil)
        relationships = nil
        state.remove(.fault)
        state.insert(.inaccessible)
    }
}

extension CoreDataError {
    /// The text for a process that ends: with object, property and file.
    fileprivate func naming(_ id: NSManagedObjectID, _ key: String?) -> CoreDataError {
        guard isOfEnvironment else { return self }
        var error = self
        let property = key.map { " of the property '\($0)'" } ?? ""
        let file = info["NSFilePath"].map { " (\($0))" } ?? ""
        error.message =
            "CoreData could not fulfill a fault\(property) for"
            + " '\(id.uriRepresentation().absoluteString)': \(message)\(file)"
        return error
    }
}
