import CoreData
import LabBench

/// A custom workload. The bench measures it like the built-in workloads.
///
/// Each sample runs in a new process that opens a new SQLite store with the model, prepares the
/// data, resets the context and then times the work on a private context's queue.
public struct BenchWorkload: Sendable {
    let name: String
    let about: String
    /// The position of the declaration: `#filePath`, `#fileID` and `#line`.
    let place: (path: String, id: String, line: Int)
    let model: NSManagedObjectModel
    let prepare: @Sendable (NSManagedObjectContext) throws -> Void
    let run: @Sendable (NSManagedObjectContext) throws -> UInt64

    /// Creates a workload.
    ///
    /// - Parameters:
    ///   - name: Letters, digits and hyphens; not the name of another workload.
    ///   - about: A sentence about what the workload shows.
    ///   - model: The model of the store.
    ///   - prepare: Creates the data and saves it; not timed and not counted.
    ///   - run: The measured work. The closure returns a checksum of the values that it has read.
    ///     The checksum must be the same in every run, so that the bench detects a run that skipped
    ///     the work.
    ///   - filePath, fileID, line: The position of the declaration, which the gate's annotations
    ///     refer to.
    public init(
        _ name: String, about: String, model: NSManagedObjectModel,
        prepare: @escaping @Sendable (NSManagedObjectContext) throws -> Void,
        run: @escaping @Sendable (NSManagedObjectContext) throws -> UInt64,
        filePath: String = #filePath, fileID: String = #fileID, line: Int = #line
    ) {
        place = (filePath, fileID, line)
        self.name = name
        self.about = about
        self.model = model
        self.prepare = prepare
        self.run = run
    }

    /// The workload in the form that the bench uses internally.
    var declaration: OwnWorkload {
        OwnWorkload(name: name, about: about, path: place.path, id: place.id, line: place.line)
    }
}
