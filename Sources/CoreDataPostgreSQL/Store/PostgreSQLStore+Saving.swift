import CoreDataModel
import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore

/// Writing the save plans of a coordinator.
extension PostgreSQLStore {
    func reserveKeys(_ count: Int, for entity: EntityLayout) throws(CoreDataError) -> Int64 {
        try checkWritable()
        do throws(ServerError) { return try keys.take(count, for: entity, connections) } catch {
            guard error.isOutOfRange else { throw failure(error) }
            throw CoreDataError(
                .storeOperation, "The entity \(entity.name) has no primary keys left.")
        }
    }

    func save(_ plan: SavePlan) throws(CoreDataError) -> SaveOutcome {
        try checkWritable()
        let metadata = try pendingMetadata()
        if plan.isEmpty && metadata == nil { return .committed() }
        let transaction = try SaveTransaction(self, plan, metadata)
        do throws(ServerError) {
            let outcome = try connections.run { connection throws(ServerError) in
                try transaction.run(connection)
            }
            if case .committed = outcome, metadata != nil { notePendingMetadataWritten() }
            return isHeld ? endingHeld(outcome) : outcome
        } catch {
            return isHeld ? endingHeld(try outcome(of: error)) : try outcome(of: error)
        }
    }

    /// Ends the transaction of a view, unless a merge policy can resolve the conflicts in it.
    private func endingHeld(_ outcome: SaveOutcome) -> SaveOutcome {
        switch outcome {
        case .conflicts, .constraintViolations: return outcome
        case .refused(let reason):
            connections.close()
            return .superseded(reason)
        case .committed, .superseded, .unknown:
            connections.close()
            return outcome
        }
    }

    /// The outcome of a save that an error ended.
    private func outcome(of error: ServerError) throws(CoreDataError) -> SaveOutcome {
        if error.isOutcomeUnknown { return .unknown("the connection ended during the commit") }
        if error.isSerializationFailure {
            return .refused(
                isHeld ? Self.serializationReason : "another transaction changed the same rows")
        }
        if error.isDeadlock {
            return .refused("it and another transaction waited for each other")
        }
        if error.isLockNotAvailable {
            return .refused("another transaction held a lock for too long")
        }
        if error.isUnreachable { throw failure(error) }
        // The coordinator repeats the save with another connection.
        if error.isConnectionLost { return .refused("the connection ended before the commit") }
        throw failure(error)
    }

    func checkWritable() throws(CoreDataError) {
        if isReadOnly { throw .readOnlyStore(isLockedByHistory: isLockedByHistory) }
    }
}
