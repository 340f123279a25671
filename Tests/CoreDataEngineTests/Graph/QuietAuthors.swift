import CoreDataEngine
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation

/// A store file with the authors a, b and c, and a stack without listeners.
struct QuietAuthors {
    private let folder: GraphFolder
    let stack: GraphStack

    init() throws {
        folder = try GraphFolder()
        stack = try GraphStack(Library.makeModel(), at: folder.store)
        stack.coordinator.trace.remove(stack.counters)
        let context = stack.context()
        try context.on {
            for name in ["a", "b", "c"] { context.make("Author", ["name": name]) }
            try context.save()
        }
    }

    /// Fetches the authors, sorted by name. They are faults, with or without attached rows.
    func fetch(
        _ context: NSManagedObjectContext, withRows: Bool = true
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.includesPropertyValues = withRows
        request.sortDescriptors = [CoreDataPredicate.NSSortDescriptor(key: "name", ascending: true)]
        return try context.fetch(request)
    }
}
