import ContextHistory
import CoreData
import CoreDataEngine
import CoreDataStore

/// Declares the sessions of an exploration in its body; see ``Lab/explore(_:_:_:)``.
///
/// The body runs again for each schedule. The code before the first session runs on the calling
/// thread. The sessions then run on threads of the lab, one at a time.
public final class CodeLab {
    struct Session {
        let name: String
        /// Whether the session is one block of a context.
        var isBlock = false
        let run: () async throws -> Void
        /// Code that runs as a single item of the lane instead of a task. The code reports its
        /// failures itself.
        var block: ((CodeFailures) -> Void)?
    }

    private(set) var sessions: [Session] = []
    private(set) var endings: [() throws -> Void] = []
    private var tearDowns: [() -> Void] = []
    private(set) var observed: [(name: String, value: String)] = []
    private let stores: CodeStores
    private var setups = 0
    private var stacks = 0

    private let stage: CodeStage

    init(_ stores: CodeStores, _ stage: CodeStage) {
        self.stores = stores
        self.stage = stage
    }

    /// A container over a store of the lab. Its contexts use queues that the schedule controls.
    ///
    /// The store is in memory. Before each schedule, the lab restores the contents that the store
    /// had after ``setup(_:)``. The coordinator stays the same, so object IDs stay valid.
    ///
    /// - Throws: an error that says why the model is unusable.
    public func stack(model: NSManagedObjectModel, name: String = "lab") throws
        -> NSPersistentContainer
    {
        defer { stacks += 1 }
        return NSPersistentContainer(
            name: name, coordinator: try stores.coordinator(stacks, model: model))
    }

    /// Fills the store. The closure runs once. Each schedule starts from the contents that the
    /// store has afterwards.
    ///
    /// If the closure saves into an in-memory store that the body itself opens, the closure runs
    /// before each schedule, because each schedule creates such a store again.
    ///
    /// - Returns: the value that the closure returned when it ran. Return IDs, not objects, because
    ///   the contexts of the objects no longer exist.
    public func setup<T>(_ body: () throws -> T) throws -> T {
        defer { setups += 1 }
        return try stores.setUp(setups, savedOwn: { stage.takeSavedStores(notIn: stores) }, body)
    }

    /// Returns a replacement for a Dispatch queue. The schedule controls the work of the
    /// replacement. Pass it to code that would otherwise use a separate Dispatch queue.
    ///
    /// - Parameter isConcurrent: whether pieces of work run concurrently.
    public func queue(_ label: String, isConcurrent: Bool = false) -> LabDispatchQueue {
        LabDispatchQueue(label, isConcurrent: isConcurrent, stage)
    }

    /// Returns a replacement for an operation queue. The schedule controls its operations.
    public func operationQueue(_ name: String = "operations") -> LabOperationQueue {
        LabOperationQueue(name, stage)
    }

    /// Declares a session: code that runs concurrently with the other sessions.
    ///
    /// - Parameter name: the name in reports and tokens. It must be unique.
    public func session(_ name: String, _ body: @escaping () throws -> Void) {
        sessions.append(Session(name: name, run: { try body() }))
    }

    /// Declares a session of asynchronous code. Its jobs run on the lab's executor, one at a time.
    public func session(_ name: String, _ body: @escaping () async throws -> Void) {
        sessions.append(Session(name: name, run: body))
    }

    /// Declares a session that the lab runs as one item of its lane, without a Swift task.
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

    /// Adds a check of the final state. The check runs on the calling thread, after every run of
    /// the body whose sessions have all ended.
    public func finally(_ body: @escaping () throws -> Void) { endings.append(body) }

    /// Adds code that reverts effects of the body on global state, such as an observer that the
    /// body has added. The code runs after every run of the body. If the checks of ``finally(_:)``
    /// run, they run first.
    public func tearDown(_ body: @escaping () -> Void) { tearDowns.append(body) }

    /// Records a value at the end of the schedule. Schedules with different values have different
    /// outcomes. Call this method in ``finally(_:)``.
    public func observe(_ name: String, _ value: Any?) {
        observed.append((name, value.map { "\($0)" } ?? "nil"))
    }

    /// Makes the sessions one after another the expectation: a schedule fails if it ends like none
    /// of the orders in which each session runs to its end before the next one begins.
    ///
    ///     try Lab.explore("two tills") { lab in
    ///         let stack = try lab.stack(model: Shop.model)
    ///         let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
    ///         lab.session("till") { try Till(stack.newBackgroundContext()).sell(id, 5) }
    ///         lab.session("desk") { try Till(stack.newBackgroundContext()).sell(id, 7) }
    ///         lab.serial()
    ///     }
    ///
    /// The lab compares the rows of all stores and the values of ``observe(_:_:)``. It does not
    /// compare relationships that are to-many on both sides, the orders of ordered relationships,
    /// and values that differ between two runs of the same order of the sessions, such as dates. At
    /// most ``serialSessionsMax`` sessions can be compared.
    public func serial() { isSerial = true }

    /// The maximum number of sessions of a body that calls ``serial()``. All orders of more
    /// sessions take too long.
    public static let serialSessionsMax = 5

    /// Whether the body has called ``serial()``.
    private(set) var isSerial = false

    var hasEnd: Bool { !endings.isEmpty }

    func end() throws {
        for ending in endings { try ending() }
    }

    /// Ends the run of the body, and releases the closures to break reference cycles with this
    /// object.
    func close() {
        let last = tearDowns
        tearDowns = []
        if !last.isEmpty {
            stage.scope.run { () throws(Never) in for tearDown in last { tearDown() } }
        }
        sessions = []
        endings = []
    }
}
