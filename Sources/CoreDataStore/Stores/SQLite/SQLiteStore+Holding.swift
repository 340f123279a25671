import CoreDataSQLite
import Foundation

extension SQLiteStore: HoldingStore {
    package func hold(
        if isNeeded: ([String: any Sendable]) -> Bool
    ) throws(CoreDataError) -> Bool {
        do throws(SQLiteError) {
            let metadata = try connections.write { connection throws(SQLiteError) in
                try connection.hold()
                return try StoreMetadata.read(connection)
            }
            if isNeeded(metadata?.plist ?? [:]) {
                external?.hold()
                return true
            }
            try connections.write { connection throws(SQLiteError) in
                try connection.endHold(isCommitted: false)
            }
            return false
        } catch {
            throw failure(error)
        }
    }

    package func commitHold(forgetting key: String) throws(CoreDataError) {
        do throws(CoreDataError) {
            try forget(key)
            try endHold(isCommitted: true)
        } catch {
            try? endHold(isCommitted: false)
            throw error
        }
    }

    package func undoHold() throws(CoreDataError) { try endHold(isCommitted: false) }

    private func forget(_ key: String) throws(CoreDataError) {
        guard var metadata = try written(), metadata.plist[key] != nil else { return }
        metadata.forget(key)
        let bytes = try StoreMetadata.encode(metadata.plist)
        do throws(SQLiteError) {
            try connections.write { connection throws(SQLiteError) in
                let row = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
                bytes.withUnsafeBytes { row.bind(1, blob: $0) }
                try row.run()
            }
        } catch {
            throw failure(error)
        }
    }

    /// The metadata that the file currently contains.
    private func written() throws(CoreDataError) -> StoreMetadata? {
        do throws(SQLiteError) {
            return try connections.write { connection throws(SQLiteError) in
                try StoreMetadata.read(connection)
            }
        } catch {
            throw failure(error)
        }
    }

    private func endHold(isCommitted: Bool) throws(CoreDataError) {
        do throws(SQLiteError) {
            try connections.write { connection throws(SQLiteError) in
                try connection.endHold(isCommitted: isCommitted)
            }
            external?.endHold(isCommitted: isCommitted)
        } catch {
            external?.endHold(isCommitted: false)
            throw failure(error)
        }
    }
}
