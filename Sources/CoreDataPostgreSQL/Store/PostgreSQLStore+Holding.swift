import CoreDataPostgreSQLClient
import CoreDataSQL
import CoreDataStore

extension PostgreSQLStore: HoldingStore {
    func hold(
        if isNeeded: ([String: any Sendable]) -> Bool
    ) throws(CoreDataError) -> Bool {
        do throws(ServerError) {
            return try connections.run { connection throws(ServerError) in
                try connection.hold()
                try StoreOpening.lock(keys.schema, connection)
                try StoreRecord.lockTables(schemaName, "SHARE ROW EXCLUSIVE", connection)
                let record = try StoreRecord(keys.schema, connection)
                if isNeeded(record?.metadata.values ?? [:]) { return true }
                try connection.endHold(commits: false)
                return false
            }
        } catch {
            throw failure(error)
        }
    }

    func commitHold(forgetting key: String) throws(CoreDataError) {
        do throws(CoreDataError) {
            try forget(key)
            try endHold(commits: true)
        } catch {
            try? endHold(commits: false)
            throw error
        }
    }

    func undoHold() throws(CoreDataError) { try endHold(commits: false) }

    private func forget(_ key: String) throws(CoreDataError) {
        let record = try read { connection throws(ServerError) in
            try StoreRecord(keys.schema, connection)
        }
        guard var values = record?.metadata.values, values[key] != nil else { return }
        values[key] = nil
        let text = try StoreRecord.text(of: values)
        _ = try read { connection throws(ServerError) in
            try connection.executePipeline([try StoreRecord.update(text, schemaName)])
        }
    }

    private func endHold(commits: Bool) throws(CoreDataError) {
        do throws(ServerError) {
            try connections.run { connection throws(ServerError) in
                try connection.endHold(commits: commits)
            }
        } catch {
            throw failure(error)
        }
    }
}
