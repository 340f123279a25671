import CoreDataModel
import CoreDataSQLite

extension SQLiteStore {
    package func reserveKeys(_ count: Int, for entity: EntityLayout) throws(CoreDataError) -> Int64
    {
        try checkWritable()
        do throws(SQLiteError) {
            let keys = PrimaryKeys(layout: layout, numbers: numbers)
            return try connections.write { connection throws(SQLiteError) in
                try keys.reserve(count, for: entity, connection)
            }
        } catch {
            throw failure(error)
        }
    }

    package func save(_ plan: SavePlan) throws(CoreDataError) -> SaveOutcome {
        try checkWritable()
        let metadata = pendingMetadata
        if plan.isEmpty && metadata == nil { return .committed() }
        var failedObject: ObjectKey?
        do throws(SQLiteError) {
            let outcome = try connections.write { connection throws(SQLiteError) in
                let transaction = SaveTransaction(
                    store: self, plan: plan, metadata: metadata, connection: connection)
                defer { failedObject = transaction.failedObject }
                return try transaction.run()
            }
            let isCommitted = if case .committed = outcome { true } else { false }
            if isCommitted, metadata != nil { notePendingMetadataWritten() }
            external?.endTransaction(isCommitted: isCommitted)
            return outcome
        } catch {
            external?.endTransaction(isCommitted: false)
            var error = failure(error)
            if let failedObject { error.objects = [failedObject] }
            throw error
        }
    }

    func checkWritable() throws(CoreDataError) {
        guard isReadOnly else { return }
        var error = CoreDataError.readOnlyStore(isLockedByHistory: isLockedByHistory)
        error.info["NSFilePath"] = path ?? ""
        throw error
    }
}
