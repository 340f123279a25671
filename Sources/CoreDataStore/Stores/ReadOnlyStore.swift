extension CoreDataError {
    /// The error of a write into a store that was opened read-only.
    ///
    /// - Parameter isLockedByHistory: whether the store is read-only because it has a history that
    ///   the program would not continue.
    package static func readOnlyStore(isLockedByHistory: Bool = false) -> CoreDataError {
        if isLockedByHistory {
            return CoreDataError(
                .fileWriteNoPermission,
                "The store was opened without NSPersistentHistoryTrackingKey, but has a history;"
                    + " it is read-only until it is opened with the key set to true, or to false"
                    + " to drop the history", info: ["reason": "The store has a history"])
        }
        return CoreDataError(
            .fileWriteNoPermission,
            "The store was opened read-only; open it without that option to save into it",
            info: ["reason": "The store was opened read-only"])
    }
}
