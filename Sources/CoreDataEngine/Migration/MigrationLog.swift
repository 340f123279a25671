import CoreDataModel
import CoreDataTrace
import Foundation

/// Logs completed migrations.
enum MigrationLog {
    /// Runs a migration of a store and logs both versions, the number of rows and the time.
    ///
    /// - Parameter migrate: returns the number of rows written, or nil if another process has
    ///   already migrated the store. In that case nothing is logged.
    static func note<E: Error>(
        _ path: String, from source: NSManagedObjectModel, to destination: NSManagedObjectModel,
        _ migrate: () throws(E) -> Int?
    ) throws(E) {
        let start = ContinuousClock.now
        guard let rows = try migrate() else { return }
        let time = (ContinuousClock.now - start) / .seconds(1)
        EngineLog.note(
            "migrated the store \(path) from \(source.versionLabel) to"
                + " \(destination.versionLabel): \(rows) rows written in"
                + String(format: " %.4f s", time))
    }
}
