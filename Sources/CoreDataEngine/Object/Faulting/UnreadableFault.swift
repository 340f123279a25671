import CoreDataModel
import CoreDataStore
import Foundation

/// Reads properties for accessors that cannot throw errors, although the store may be unavailable.
extension NSManagedObject {
    /// Runs a read that may throw an error. If the environment prevents firing a fault, for example
    /// because a file is not available, calls the coordinator's handler. Any other error ends the
    /// process.
    @inline(__always)
    final func reading<T>(
        _ key: @autoclosure () -> String?, _ body: () throws(CoreDataError) -> T
    ) -> T {
        do { return try body() } catch { return readingOn(after: error, key(), body) }
    }

    /// Repeats a failed read. Before each attempt, the handler decides whether the unreadable
    /// object becomes inaccessible. If it does not, the process ends.
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

    /// Does the same as `readingOn(after:_:_:)` for an access by slot. It is a separate function,
    /// because a closure would make every access more expensive.
    @inline(never)
    final func firingOn(after error: CoreDataError, _ slot: Int) {
        readingOn(after: error, layout.values[slot].name) { () throws(CoreDataError) in
            try prepareAccess()
        }
    }

    /// The object whose fault could not be fired. It may be the destination of a relationship.
    private func unreadable(_ error: CoreDataError) -> NSManagedObject {
        guard let key = error.objects.first, key != objectKey else { return self }
        return registry?.registered(key) ?? self
    }

    /// Calls the coordinator's handler.
    ///
    /// - Returns: whether the object is to become inaccessible; false without a handler.
    final func respond(to error: CoreDataError, key: String?) -> Bool {
        guard let handler = registry?.context?.persistentStoreCoordinator?.faultFailureHandler
        else { return false }
        // An object that is already inaccessible would fail forever.
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
    /// The error with which the process ends: it names the object, the property and the file.
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
