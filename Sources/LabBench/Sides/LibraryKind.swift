import CoreData

/// The model and the data of an operation.
package protocol LibraryKind: Sendable {
    /// Whether a sample begins with an empty file and fills it.
    var isFilledBySamples: Bool { get }

    func model(_ variant: WorkloadVariant) -> NSManagedObjectModel

    func libraryFile(_ variant: WorkloadVariant) -> String

    /// Inserts the data for a variant.
    func fill(_ context: NSManagedObjectContext, _ variant: WorkloadVariant) throws
}

extension LibraryKind {
    package var isFilledBySamples: Bool { false }
}

/// The data of a workload that a user's program declares. The workload itself creates the data.
struct OwnLibrary: LibraryKind {
    let model: NSManagedObjectModel

    var isFilledBySamples: Bool { true }

    func model(_ variant: WorkloadVariant) -> NSManagedObjectModel { model }

    func libraryFile(_ variant: WorkloadVariant) -> String { "own-\(variant.shape.fileName)" }

    func fill(_ context: NSManagedObjectContext, _ variant: WorkloadVariant) {}
}

/// Generated objects of a user's model.
protocol MadeLibrary: LibraryKind {
    /// The workload file. Each measuring process reads it again.
    var file: String { get }
    /// The entities of the generated objects. Each is a parameter of the operation.
    var made: [String] { get }
}
