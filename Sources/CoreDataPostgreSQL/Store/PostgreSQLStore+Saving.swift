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
            if error.isTooLongForIndex, let problem = tooLong(in: plan) { throw problem }
            return isHeld ? endingHeld(try outcome(of: error)) : try outcome(of: error)
        }
    }

    /// The error for the longest text or data of a uniqueness constraint; nil if a plan has none.
    private func tooLong(in plan: SavePlan) -> CoreDataError? {
        var longest: (entity: EntityLayout, slot: Int, key: Int64, bytes: Int)?
        func note(_ entity: EntityLayout, _ slot: Int, _ key: Int64, _ value: Value) {
            let bytes: Int
            switch value {
            case .string(let text): bytes = text.utf8.count
            case .data(let data): bytes = data.count
            default: return
            }
            if bytes > longest?.bytes ?? 0 { longest = (entity, slot, key, bytes) }
        }
        for group in plan.inserts {
            let slots = Set(group.entity.uniquenessConstraints.flatMap(\.slots))
            for (row, key) in group.keys.enumerated() {
                for slot in slots { note(group.entity, slot, key, group.value(row, slot)) }
            }
        }
        for group in plan.updates {
            let slots = Set(group.entity.uniquenessConstraints.flatMap(\.slots))
            for (place, slot) in group.slots.enumerated() where slots.contains(slot) {
                for (row, key) in group.keys.enumerated() {
                    note(group.entity, slot, key, group.values[row * group.slots.count + place])
                }
            }
        }
        guard let (entity, slot, key, bytes) = longest else { return nil }
        let name = entity.values[slot].name
        return CoreDataError(
            .storeSave,
            "The value of '\(entity.name).\(name)' has \(bytes) bytes, and the index of a"
                + " uniqueness constraint contains at most about 2,700 bytes of a row. Nothing was"
                + " written; shorten the value, and save again.",
            objects: [ObjectKey(entity: entity.index, key: key)],
            info: ["NSValidationErrorKey": name])
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
