import CRuntimeShims
import CoreDataModel
import CoreDataStore
import Synchronization

/// Told what a program does with one context, as it does it.
///
/// The event stream tells what the engine does; this tells what was asked of it: which property of
/// which object was read or set, what was looked for, and what followed in the context. Called on
/// the thread that uses the context, most often the one that has its queue. Costs nothing where a
/// context has none: its objects lack the state bit that leads here.
package protocol ContextListener: AnyObject {
    /// The program has read an attribute or a to-one relationship.
    ///
    /// - Parameter firedFault: whether the object's row was read for it.
    func noteRead(_ object: NSManagedObject, _ slot: Int, firedFault: Bool)

    /// The program is about to set an attribute or a to-one relationship.
    func noteSet(_ object: NSManagedObject, _ slot: Int, to value: Value)

    /// The program has made an object.
    func noteInserted(_ object: NSManagedObject)

    /// Anything that does not come by the thousand.
    func note(_ event: ContextEvent)

    /// Where values that are read and set are counted instead of told, for a listener that may have
    /// enough of them; lives as long as the listener. Nil for one that is told each.
    var gate: UnsafeMutablePointer<ListenerGate>? { get }
}

extension ContextListener {
    package var gate: UnsafeMutablePointer<ListenerGate>? { nil }
}

/// Counts the values that a listener has no use for, at the price of a comparison.
package struct ListenerGate: ~Copyable {
    /// The thread whose values are counted; zero while each is told. Atomic because threads without
    /// the context's queue come here by mistake, and are told as such.
    package let thread = Atomic<UInt>(0)
    /// How many there were. Used by that thread alone.
    package var counted = 0

    package init() {}

    /// Counts a value of the calling thread; false where the listener wants it.
    @inline(__always)
    mutating func takes() -> Bool {
        guard thread.load(ordering: .relaxed) == faultline_thread_id() else { return false }
        counted &+= 1
        return true
    }
}

/// What a listener of a context is told besides reads and changes of single values.
package enum ContextEvent {
    case fetched(FetchRequestOptions, [NSManagedObject])
    /// Ids or dictionaries were fetched, or results were counted.
    case counted(FetchRequestOptions, Int)
    /// The object of an id was asked for and has its row.
    case lookedUp(NSManagedObject)
    case readMembers(NSManagedObject, slot: Int, [NSManagedObject])
    case linked(NSManagedObject, slot: Int, NSManagedObject)
    case unlinked(NSManagedObject, slot: Int, NSManagedObject)
    case deleted(NSManagedObject)
    case refreshed(NSManagedObject, keepsChanges: Bool)
    case refreshedAll, wasReset, rolledBack, undone, redone
    case saveBegins
    /// A save is about to write these.
    case writes(ContiguousArray<NSManagedObject>)
    /// A save has written.
    case wrote(
        inserted: ContiguousArray<NSManagedObject>, updated: ContiguousArray<NSManagedObject>,
        deleted: ContiguousArray<NSManagedObject>)
    case saveEnded(CoreDataError?)
    case keysChanged(ContiguousArray<NSManagedObject>, former: ContiguousArray<Int64>)
    case conflict(NSManagedObject, kind: String)
    /// What a context has saved was merged; nil where it was no context of this process.
    case merged(from: NSManagedObjectContext?, isAutomatic: Bool)
    case batch(BatchPlan)
    /// A request for the store's history was run.
    case readsHistory
    /// Code that runs on this context's queue has contexts merge by ids.
    case mergesByIDs(into: [NSManagedObjectContext])
    case setting(ContextSetting)
    /// The context reads one state of the stores from now on.
    ///
    /// - Parameter isShared: whether it was named by a token, which another context has given.
    case pinned(QueryGeneration, isShared: Bool)
    /// The context has gone on to the newest state: nil where it always reads that from now on.
    case movedOn(QueryGeneration?)
    case unpinned
    /// The program asked for permanent ids ahead of a save.
    case obtainedIDs([NSManagedObject])
    case detectsConflicts(NSManagedObject)
    /// The program had a fault fired.
    case fired(NSManagedObject)
    /// The object of an id was asked for, and not its row.
    case tookFault(NSManagedObject)
    case ordered(NSManagedObject, slot: Int, [NSManagedObject])
    /// A results controller has fetched; the identifier tells controllers apart.
    case watched(ObjectIdentifier, FetchRequestOptions, sections: String?, [NSManagedObject])
    /// The program has looked at what a results controller shows.
    case shown(ObjectIdentifier, isBySection: Bool)
    case looked(ContextLook)
    case lookedAt(NSManagedObject, ObjectLook)
    case processesPending
    /// A store was removed by code that runs on this context's queue.
    case removedStore
    /// A fetch or another request has failed.
    case failed(StaticString, CoreDataError)
    /// The program did something else, by the name of the member.
    case called(StaticString)
    /// A block was put on a context's queue by code that runs on this one's.
    case enqueued(block: Int, on: NSManagedObjectContext)
    /// The thread waits until a block has run on a context's queue.
    case waits(block: Int, on: NSManagedObjectContext)
    case blockBegins(Int)
    case blockEnds(Int)
    /// What follows is the engine's own doing, until it is over.
    case engineBegins
    case engineEnds
}

/// A setting of a context that changes what it does.
package enum ContextSetting: Sendable, Equatable {
    case staleness(Double)
    case automerge(Bool)
    case deletesInaccessible(Bool)
    case undo(Bool)
}

/// What a program looks at of a context. Nothing is read for it.
package enum ContextLook: UInt8, Sendable, CaseIterable {
    case hasChanges, inserted, updated, deleted, registered, isPinned
}

/// What a program looks at of an object, beside its values.
package enum ObjectLook: Sendable {
    case isInserted, isUpdated, isDeleted, isFault, hasChanges, changed
    /// Last fetched or saved values, by the slots of those that are values.
    case committed([Int])
}

/// Tells several listeners of one context.
private final class ListenerGroup: ContextListener {
    private let listeners: [any ContextListener]

    init(_ listeners: [any ContextListener]) { self.listeners = listeners }

    func noteRead(_ object: NSManagedObject, _ slot: Int, firedFault: Bool) {
        for listener in listeners { listener.noteRead(object, slot, firedFault: firedFault) }
    }

    func noteSet(_ object: NSManagedObject, _ slot: Int, to value: Value) {
        for listener in listeners { listener.noteSet(object, slot, to: value) }
    }

    func noteInserted(_ object: NSManagedObject) {
        for listener in listeners { listener.noteInserted(object) }
    }

    func note(_ event: ContextEvent) {
        for listener in listeners { listener.note(event) }
    }
}

extension NSManagedObjectContext {
    /// Told what the program does with this context; nil where nobody asks.
    package final var listener: (any ContextListener)? { knownRegistry?.listener }

    /// Has a listener told of what the program does with this context and its objects from now on.
    /// On the context's queue, or before anybody uses the context.
    package final func listen(_ listener: some ContextListener) throws(CoreDataError) {
        let registry = try requireRegistry()
        registry.listener = registry.listener.map { ListenerGroup([$0, listener]) } ?? listener
        for object in registry.all { object.state.insert(.heard) }
    }

    /// Tells the listener, where there is one.
    @inline(__always)
    final func tell(_ event: @autoclosure () -> ContextEvent) {
        if let listener { listener.note(event()) }
    }

    /// Runs what the engine does by itself, so that it does not pass for the program's doing.
    @inline(__always)
    final func unheard<T>(_ work: () throws(CoreDataError) -> T) throws(CoreDataError) -> T {
        guard let listener else { return try work() }
        listener.note(.engineBegins)
        defer { listener.note(.engineEnds) }
        return try work()
    }

    /// Tells of a request that failed.
    @inline(__always)
    final func tellingFailure<T>(
        _ what: StaticString, _ work: () throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T {
        guard let listener else { return try work() }
        do throws(CoreDataError) { return try work() } catch {
            listener.note(.failed(what, error))
            throw error
        }
    }

    /// The settings as they are, for a listener that begins.
    package final var heardSettings: [ContextSetting] {
        [
            .staleness(stalenessInterval), .automerge(automaticallyMergesChangesFromParent),
            .deletesInaccessible(shouldDeleteInaccessibleFaults), .undo(undoManager != nil),
        ]
    }

    /// Whether no object of the context is known; true for one without a coordinator.
    package final var hasNoObjects: Bool { (knownRegistry?.count ?? 0) == 0 }

    /// The layout of the context's model; of a context without one nil.
    package final var modelLayout: ModelLayout? { knownRegistry?.binding.layout }

    /// The contexts that work on this one, without those that are being released.
    package final var liveChildren: [NSManagedObjectContext] { children.alive }
}

extension NSManagedObject {
    /// Whether a listener is told of what the program does with the object.
    @inline(__always)
    final var isHeard: Bool { state.contains(.heard) }

    final var listener: (any ContextListener)? {
        registryReference?._withUnsafeGuaranteedRef { $0.listener } ?? nil
    }

    /// Counts a value that nobody wants to be told; false where the listener is to be asked.
    @inline(__always)
    final var passesGate: Bool {
        registryReference?._withUnsafeGuaranteedRef { $0.passesGate } ?? false
    }

    @inline(never)
    final func tellRead(_ slot: Int, firedFault: Bool = false) {
        guard let registryReference else {
            KeyPathProbe.current?.note(self, slot)
            return
        }
        registryReference._withUnsafeGuaranteedRef { registry in
            if registry.passesGate { return }
            registry.listener?.noteRead(self, slot, firedFault: firedFault)
        }
    }

    @inline(never)
    final func tellSet(_ slot: Int, to value: Value) {
        registryReference?._withUnsafeGuaranteedRef { registry in
            if registry.passesGate { return }
            registry.listener?.noteSet(self, slot, to: value)
        }
    }

    /// Tells of a look at the object.
    @inline(__always)
    final func tellLook(_ look: @autoclosure () -> ObjectLook) {
        if isHeard { listener?.note(.lookedAt(self, look())) }
    }

    /// The slots that have values of a new object's, which were set before it had a context.
    package final var slotsSetBefore: [Int] {
        (pending?.mask.slots ?? []).filter { isChanged($0) }
    }

    /// The value of a slot as it is now, for an object that is realised; for listeners.
    package final func heardValue(at slot: Int) -> Value { currentValue(at: slot) }

    /// The row, where the slot's value comes from it and not from an unsaved change.
    package final func heardCells(with slot: Int) -> UnsafeRawPointer? {
        pending?.isSet(slot) == true ? nil : cells
    }
}

/// Numbers blocks of contexts, so that who asked for one and who runs it can be told to belong
/// together.
enum BlockNumbers {
    private static let last = Atomic<Int>(0)

    static func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
