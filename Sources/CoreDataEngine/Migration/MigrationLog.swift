import CoreDataModel
import CoreDataTrace
import Foundation

/// Writes the line that tells of a migration that was done.
enum MigrationLog {
    /// Runs a migration of a store and writes both versions, the rows and the time.
    ///
    /// - Parameter migrate: gives the number of rows that were written, or nil where another
    ///   process had done the work; then there is no line.
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
