/// What the lists of changes promise, looked at as a whole.
extension ChangeTracker {
    /// The first promise that is broken, or nil. Looks at every object of the lists and changes
    /// none, not even by a clean-up that is due. Called on the context's queue.
    func brokenInvariant() -> String? {
        for (kind, list) in [
            ("new", insertedList), ("changed", updatedList), ("deleted", deletedList),
        ] where Set(list.map { ObjectIdentifier($0) }).count != list.count {
            return "The list of \(kind) objects has one twice."
        }
        if hasStaleEntries { return nil }
        if !insertedList.allMeet({ $0.state.isSuperset(of: [.inserted, .listedAsInserted]) }) {
            return "The list of new objects has one that is not new."
        }
        let isChanged = { (object: NSManagedObject) in
            object.state.isSuperset(of: [.updated, .listedAsUpdated])
                && object.state.isDisjoint(with: [.inserted, .deleted])
        }
        if !updatedList.allMeet(isChanged) {
            return "The list of changed objects has one that is not changed, or new or deleted."
        }
        if !deletedList.allMeet({ $0.state.isSuperset(of: [.deleted, .listedAsDeleted]) }) {
            return "The list of deleted objects has one that is not deleted."
        }
        return nil
    }
}
