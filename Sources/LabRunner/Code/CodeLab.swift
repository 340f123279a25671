import CoreData
import CoreDataEngine
import CoreDataStore
import LabCheck

/// What the body of an exploration declares its sessions with; see ``Lab/explore(_:_:_:)``.
///
/// The body runs anew for each schedule. What it makes before the sessions start is made on the
/// calling thread; the sessions then run on threads of the lab's, one at a time.
public final class CodeLab {
    /// A thread of the schedule.
    struct Session {
        let name: String
        /// It is one block of a context.
        var isBlock = false
        let run: () async throws -> Void
        /// In place of a task: one item of the lane, which tells itself what goes wrong.
        var block: ((CodeFailures) -> Void)?
    }

    private(set) var sessions: [Session] = []
    private(set) var endings: [() throws -> Void] = []
    private(set) var observed: [(name: String, value: String)] = []
    private let stores: CodeStores
    private var setups = 0
    private var stacks = 0

    private let stage: CodeStage

    init(_ stores: CodeStores, _ stage: CodeStage) {
        self.stores = stores
        self.stage = stage
    }

    /// A container over a store of the lab's, whose contexts live on the lab's queues.
    ///
    /// The store is in memory and is put back to what ``setup(_:)`` has made of it before each
    /// schedule; the coordinator stays, so ids stay valid.
    ///
    /// - Throws: what makes the model unusable.
    public func stack(model: NSManagedObjectModel, name: String = "lab") throws
        -> NSPersistentContainer
    {
        defer { stacks += 1 }
        return NSPersistentContainer(
            name: name, coordinator: try stores.coordinator(stacks, model: model))
    }

    /// Fills the store. Runs once: each schedule starts from what is in the store afterwards.
    ///
    /// - Returns: what the closure has returned when it ran; ids, not objects, because the objects
    ///   belong to contexts that are gone.
    public func setup<T>(_ body: () throws -> T) throws -> T {
        defer { setups += 1 }
        return try stores.setUp(setups, body)
    }

    /// A twin of a Dispatch queue, whose work the schedule steps: hand it to code that would use
    /// a Dispatch queue beside the stack.
    ///
    /// - Parameter isConcurrent: whether pieces of work run side by side.
    public func queue(_ label: String, isConcurrent: Bool = false) -> LabDispatchQueue {
        LabDispatchQueue(label, isConcurrent: isConcurrent, stage)
    }

    /// A twin of an operation queue, whose operations the schedule steps.
    public func operationQueue(_ name: String = "operations") -> LabOperationQueue {
        LabOperationQueue(name, stage)
    }

    /// Declares a session: code that runs beside the other sessions.
    ///
    /// - Parameter name: names it in reports and tokens; no two may have one name.
    public func session(_ name: String, _ body: @escaping () throws -> Void) {
        sessions.append(Session(name: name, run: { try body() }))
    }

    /// Declares a session of asynchronous code; its jobs run on the lab's executor, one at a time.
    public func session(_ name: String, _ body: @escaping () async throws -> Void) {
        sessions.append(Session(name: name, run: body))
    }

    /// Declares a session that is one item of its lane, and no task.
    func session(_ name: String, block: @escaping (CodeFailures) -> Void) {
        sessions.append(Session(name: name, run: {}, block: block))
    }

    /// Declares a session that is one block of a context.
    public func session(
        _ name: String, on context: NSManagedObjectContext,
        _ body: @escaping (NSManagedObjectContext) throws -> Void
    ) {
        sessions.append(
            Session(
                name: name, isBlock: true,
                run: { try context.performAndWait { try body(context) } }))
    }

    /// What is looked at when all has come to rest, on the calling thread.
    public func finally(_ body: @escaping () throws -> Void) { endings.append(body) }

    /// Notes a value of the schedule, which tells outcomes apart; call it in ``finally(_:)``.
    public func observe(_ name: String, _ value: Any?) {
        observed.append((name, value.map { "\($0)" } ?? "nil"))
    }

    /// Whether anything is to be looked at.
    var hasEnd: Bool { !endings.isEmpty }

    func end() throws {
        for ending in endings { try ending() }
    }

    /// Lets go of the closures, which may name this object themselves.
    func close() {
        sessions = []
        endings = []
    }
}
