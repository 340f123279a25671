import CRuntimeShims
import CoreDataStore
import CoreDataTrace
import Foundation

/// Runs blocks on the context's queue. These methods may be called from any thread.
extension NSManagedObjectContext {
    /// Runs the block on the context's queue and waits for it.
    ///
    /// The block runs on the calling thread. Calls may be nested, and the block may call blocks of
    /// parent contexts. Pending changes are not processed afterwards.
    public final func performAndWait<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        let number = askedBlock(waits: true)
        return try queue.runAndWait { () throws(E) in try asCurrent(as: number, block) }
    }

    /// Runs the block on the context's queue and suspends until it has run.
    ///
    /// - Parameter schedule: `.immediate` runs the block immediately if the calling code is already
    ///   on the context's queue; `.enqueued` always appends the block to the queue, and processes
    ///   pending changes after the block.
    public nonisolated(nonsending) final func perform<T, E: Error>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws(E) -> T
    ) async throws(E) -> T {
        if schedule == .immediate, queue.isCurrent { return try asCurrent(block) }
        // Safe: the block runs once, on the context's queue, and only the waiting caller receives
        // its result. If the caller uses objects of the context off the queue, the confinement
        // check reports it.
        nonisolated(unsafe) let block = block
        let number = askedBlock(waits: false)
        let box: ResultBox<T, E> = await withCheckedContinuation { continuation in
            queue.enqueue("perform") {
                let result = Result { () throws(E) in try self.asCurrent(as: number, block) }
                self.processPendingChanges()
                faultline_end_block(Unmanaged.passUnretained(self).toOpaque())
                continuation.resume(returning: ResultBox(result: result))
            }
        }
        faultline_await_block(Unmanaged.passUnretained(self).toOpaque())
        return try box.result.get()
    }

    /// Assigns a number to a block before it is enqueued. If the block of another context enqueues
    /// it, that context's listener receives the number.
    ///
    /// Nil if no listener exists, or if the block runs inside another block of this context.
    final func askedBlock(waits: Bool) -> Int? {
        let asker = Self.current
        guard listener != nil || asker?.listener != nil else { return nil }
        if waits, queue.isCurrent { return nil }
        let number = BlockNumbers.next()
        guard let asker, asker !== self else { return number }
        asker.emit(
            waits ? .waits(block: number, on: self) : .enqueued(block: number, on: self))
        return number
    }

    /// Runs the body as a block of this context. Meanwhile `current` is this context, so
    /// `NSFetchRequest.execute()` fetches in it.
    ///
    /// - Parameter number: identifies the block to listeners; nil if none exists.
    func asCurrent<T, E: Error>(
        as number: Int? = nil, _ body: () throws(E) -> T
    ) throws(E) -> T {
        let outer = faultline_get_context()
        if let number { emit(.blockBegins(number)) }
        defer { if let number { emit(.blockEnds(number)) } }
        // The context is not retained: the caller of the block keeps it alive.
        faultline_set_context(Unmanaged.passUnretained(self).toOpaque())
        defer { faultline_set_context(outer) }
        return try body()
    }

    /// The context of the block that the calling thread runs, from `perform` or `performAndWait`.
    package static var current: NSManagedObjectContext? {
        faultline_get_context().map {
            Unmanaged<NSManagedObjectContext>.fromOpaque($0).takeUnretainedValue()
        }
    }

    // MARK: Calls off the queue

    /// Runs an operation on the context's queue. If the calling thread is on the queue, runs it
    /// directly.
    ///
    /// A call from another thread is an error if ``QueueChecks`` are enabled. Otherwise the misuse
    /// is logged once for each context and member, or reported to the lab.
    @inline(__always)
    final func serving<T>(
        _ member: StaticString, _ body: () throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T {
        queue.isCurrent ? try body() : try serveOffQueue(member, body)
    }

    @inline(never)
    private final func serveOffQueue<T>(
        _ member: StaticString, _ body: () throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T {
        let misuse =
            "\(member) of the context '\(name ?? "unnamed")' was used off the context's queue"
        if queue.letsPass(misuse) { return try queue.runAndWait(body) }
        if QueueChecks.areStrict { return try body() }
        EngineLog.errorOnce(
            "\(misuse); the access was moved to the queue. Wrap it in perform or performAndWait;"
                + " start the program with -com.apple.CoreData.ConcurrencyDebug 1 to end it there.",
            about: ObjectIdentifier(self))
        return try queue.runAndWait(body)
    }

    /// Runs an operation that does not throw errors.
    @inline(__always)
    final func served<T>(
        _ member: StaticString, _ body: () throws(CoreDataError) -> T
    ) -> T {
        orTrap { () throws(CoreDataError) in try serving(member, body) }
    }

    /// Runs an operation that throws Core Data's errors.
    @inline(__always)
    final func bridgingServed<T>(
        _ member: StaticString, _ body: () throws(CoreDataError) -> T
    ) throws -> T {
        try bridgingErrors { () throws(CoreDataError) in try serving(member, body) }
    }

    /// The time at which an asynchronous `perform` runs its block.
    public enum ScheduledTaskType: Sendable {
        case immediate
        case enqueued
    }

    /// The kinds of queues, under their Swift names.
    public struct ConcurrencyType: Hashable, RawRepresentable, Sendable {
        /// The equivalent value of `NSManagedObjectContextConcurrencyType`.
        public let rawValue: NSManagedObjectContextConcurrencyType

        /// Wraps a value of `NSManagedObjectContextConcurrencyType`.
        public init(rawValue: NSManagedObjectContextConcurrencyType) { self.rawValue = rawValue }

        /// The main queue.
        public static let mainQueue = ConcurrencyType(rawValue: .mainQueueConcurrencyType)
        /// A private queue.
        public static let privateQueue = ConcurrencyType(rawValue: .privateQueueConcurrencyType)
    }
}

/// `@unchecked Sendable` because the result is written before the continuation is resumed, and read
/// once afterwards.
private struct ResultBox<T, E: Error>: @unchecked Sendable {
    let result: Result<T, E>
}

/// Creates a queue for a concurrency type.
enum ConfinementQueues {
    static func make(
        _ type: NSManagedObjectContextConcurrencyType
    ) throws(CoreDataError) -> any ConfinementQueue {
        let scope = ConfinementScope.current
        switch type {
        case .privateQueueConcurrencyType:
            return scope?.makeQueue(.privateQueue) ?? DispatchConfinementQueue(label: "context")
        case .mainQueueConcurrencyType: return scope?.makeQueue(.main) ?? MainConfinementQueue()
        default:
            throw CoreDataError(
                .invalidArgument,
                "The confinement concurrency type no longer exists. Use"
                    + " .privateQueueConcurrencyType or .mainQueueConcurrencyType.")
        }
    }
}
