/// Checks the lists of changes as a whole.
extension ChangeTracker {
    /// The first broken invariant, or nil. Reads every listed object and changes nothing; a pending
    /// clean-up stays pending. Called on the context's queue.
    func brokenInvariant() -> String? {
        for (kind, list) in [
            ("new", insertedList), ("changed", updatedList), ("deleted", deletedList),
        ] where Set(list.map { ObjectIdentifier($0) }).count != list.count {
            return "The list of \(kind) objects contains an object twice."
        }
        if hasStaleEntries { return nil }
        if !insertedList.allMeet({ $0.state.isSuperset(of: [.inserted, .listedAsInserted]) }) {
            return "The list of new objects contains an object that is not new."
        }
        let isChanged = { (object: NSManagedObject) in
            object.state.isSuperset(of: [.updated, .listedAsUpdated])
                && object.state.isDisjoint(with: [.inserted, .deleted])
        }
        if !updatedList.allMeet(isChanged) {
            return "The list of changed objects contains an object that is unchanged, new or"
                + " deleted."
        }
        if !deletedList.allMeet({ $0.state.isSuperset(of: [.deleted, .listedAsDeleted]) }) {
            return "The list of deleted objects contains an object that is not deleted."
        }
        return nil
    }
}
