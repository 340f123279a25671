import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabCheck

/// Records the operations of a schedule's contexts for the lab's detectors. Each model has its own
/// `CodeBook`.
///
/// The history contains the values that code sets, but not how the code computed them. The lab
/// guesses: if a context sets a number after it has read the property, the new number counts as
/// computed from the number that was read. The same is true for a string that extends the string
/// that was read. All other values count as independent of reads.
final class CodeHistory {
    private var books: [CodeBook] = []
    private var known: [ObjectIdentifier: CodeBook] = [:]
    private var names: [ObjectIdentifier: String] = [:]
    private var taken: Set<String> = []
    /// The context that each lane used last, with the book of its model.
    private var latest: [Int: (name: String, book: CodeBook)] = [:]
    private var isWriting = true
    private unowned let stage: CodeStage

    init(_ stage: CodeStage) { self.stage = stage }

    func reset() {
        for book in books { book.reset() }
        known.removeAll(keepingCapacity: true)
        names.removeAll(keepingCapacity: true)
        taken.removeAll(keepingCapacity: true)
        latest.removeAll(keepingCapacity: true)
        isWriting = true
    }

    func findings() -> [Detection] {
        isWriting = false
        return books.filter { !$0.isEmpty }.flatMap { Detectors.findings(in: $0.history) }
    }

    /// The circular dependencies of the most recent schedule.
    var cycles: [Cycle] { books.filter { !$0.isEmpty }.flatMap { Cycle.all(in: $0.history) } }

    var lines: [String] { books.flatMap(\.lines) }

    // MARK: Contexts

    /// Adds a new context. A context without a name is named after its queue.
    func adopt(_ context: NSManagedObjectContext) {
        // A new context may have the address of a context that was released.
        names[ObjectIdentifier(context)] = nil
    }

    func name(_ context: NSManagedObjectContext) -> String {
        if let known = names[ObjectIdentifier(context)] { return known }
        let wanted = context.name ?? context.queue.label
        var name = wanted
        var number = 2
        while !taken.insert(name).inserted {
            name = "\(wanted)#\(number)"
            number += 1
        }
        names[ObjectIdentifier(context)] = name
        return name
    }

    private func book(of context: NSManagedObjectContext) -> CodeBook? {
        guard let coordinator = context.persistentStoreCoordinator else { return nil }
        if let book = known[ObjectIdentifier(coordinator)] { return book }
        let stores = coordinator.persistentStores.map(\.storeIdentifier).sorted()
        let layout = coordinator.frozenModel.layout
        let found = books.first { $0.layout === layout && $0.stores == stores }
        let book = found ?? CodeBook(layout: layout, stores: stores)
        if found == nil { books.append(book) }
        if !stores.isEmpty { known[ObjectIdentifier(coordinator)] = book }
        return book
    }

    // MARK: Events

    func hear(_ event: WatchedEvent, in context: NSManagedObjectContext) {
        guard isWriting, let book = book(of: context) else { return }
        let name = name(context)
        if let lane = stage.running { latest[lane] = (name, book) }
        book.begin(step: stage.step, context: name)
        if let parent = context.parent { book.note(parent: self.name(parent), of: name) }
        book.hear(event, in: context)
    }

    func noteEnqueued(_ block: String, on queue: String) {
        guard isWriting, let lane = stage.running, let last = latest[lane] else { return }
        last.book.begin(step: stage.step, context: last.name)
        last.book.record(.enqueued(block: block, on: queue))
    }

    func noteBlock(_ block: String) {
        guard isWriting else { return }
        for book in books where !book.isEmpty {
            book.begin(step: stage.step, context: "")
            book.record(.blockBegan(block: block))
        }
    }

    /// Records the final contents of contexts that automatically merge the saves of other contexts.
    func noteHeld() {
        guard isWriting else { return }
        let contexts = stage.contexts.compactMap(\.context)
        for context in contexts where context.parent == nil {
            guard let book = book(of: context), !book.isEmpty else { continue }
            let merges = context.automaticallyMergesChangesFromParent
            let siblings = contexts.filter {
                $0 !== context && $0.parent == nil && merges
                    && $0.persistentStoreCoordinator === context.persistentStoreCoordinator
            }
            book.begin(step: "end", context: name(context))
            book.noteHeld(context, siblings: siblings.map { name($0) })
        }
    }
}
