import CRuntimeShims
import CoreDataModel
import CoreDataStore
import Synchronization

/// Receives the program's operations on one context: reads and changes of properties, fetches, and
/// their effects on the context. (The event stream records the engine's own work.)
///
/// The listener is called during the operation, on the thread that uses the context. This thread is
/// usually on the context's queue. A context without a listener pays nothing, because its objects
/// do not have the state bit that causes these calls.
package protocol ContextListener: AnyObject {
    /// The program has read an attribute or a to-one relationship.
    ///
    /// - Parameter firedFault: whether reading it fired the object's fault.
    func noteRead(_ object: NSManagedObject, _ slot: Int, firedFault: Bool)

    /// The program is about to set an attribute or a to-one relationship.
    func noteSet(_ object: NSManagedObject, _ slot: Int, to value: Value)

    func noteInserted(_ object: NSManagedObject)

    /// Receives all other events, which are rare compared with reads and changes of single values.
    func note(_ event: ContextEvent)

    /// Counts the reads and changes that the listener does not need. Nil if the listener needs
    /// every one. The memory lives as long as the listener.
    var gate: UnsafeMutablePointer<ListenerGate>? { get }
}

extension ContextListener {
    package var gate: UnsafeMutablePointer<ListenerGate>? { nil }
}

/// Counts accesses in place of a call of the listener. Each access costs one comparison.
package struct ListenerGate: ~Copyable {
    /// The thread whose accesses are only counted; zero if every access is reported. Another thread
    /// may access an object by mistake. So the value is atomic, and such an access is reported.
    package let thread = Atomic<UInt>(0)
    /// The number of counted accesses. Used only on the thread whose accesses are counted.
    package var counted = 0

    package init() {}

    /// Counts an access of the calling thread. Returns false if the access must be reported.
    @inline(__always)
    mutating func takes() -> Bool {
        guard thread.load(ordering: .relaxed) == faultline_thread_id() else { return false }
        counted &+= 1
        return true
    }
}

/// An event of a context, other than reads and changes of single values.
package enum ContextEvent {
    case fetched(FetchRequestOptions, [NSManagedObject])
    /// Ids or dictionaries were fetched, or results were counted.
    case counted(FetchRequestOptions, Int)
    /// The program requested an object by its id, and the object is not a fault.
    case lookedUp(NSManagedObject)
    case readMembers(NSManagedObject, slot: Int, [NSManagedObject])
    case linked(NSManagedObject, slot: Int, NSManagedObject)
    case unlinked(NSManagedObject, slot: Int, NSManagedObject)
    case deleted(NSManagedObject)
    case refreshed(NSManagedObject, keepsChanges: Bool)
    case refreshedAll, wasReset, rolledBack, undone, redone
    case saveBegins
    /// A save is about to write these objects, or to pass them to the parent. The event occurs
    /// again after a merge policy has resolved conflicts.
    case writes(
        inserted: ContiguousArray<NSManagedObject>, updated: ContiguousArray<NSManagedObject>,
        deleted: ContiguousArray<NSManagedObject>)
    case wrote(
        inserted: ContiguousArray<NSManagedObject>, updated: ContiguousArray<NSManagedObject>,
        deleted: ContiguousArray<NSManagedObject>)
    case saveEnded(CoreDataError?)
    case keysChanged(ContiguousArray<NSManagedObject>, former: ContiguousArray<Int64>)
    /// A save conflicts with a row of the store; nil if the row was deleted. The row of a
    /// constraint conflict belongs to another object; nil if only objects of the save conflict.
    case conflict(NSManagedObject, kind: String, with: RowReference?)
    /// Changes were merged; `from` is the context that saved them, or nil if no context of this
    /// process saved them.
    case merged(from: NSManagedObjectContext?, isAutomatic: Bool, SavedKeys)
    case batch(BatchPlan)
    case readsHistory
    /// Code on this context's queue has requested that contexts merge changes by ids.
    case mergesByIDs(into: [NSManagedObjectContext])
    case setting(ContextSetting)
    /// The context was pinned to one state of the stores.
    ///
    /// - Parameter isShared: whether the program passed a token of another context.
    case pinned(QueryGeneration, isShared: Bool)
    /// The context has moved to a newer state of the stores; the value is nil if the context reads
    /// the newest state from now on.
    case movedOn(QueryGeneration?)
    case unpinned
    case obtainedIDs([NSManagedObject])
    case detectsConflicts(NSManagedObject)
    /// The program has called a function that fires a fault.
    case fired(NSManagedObject)
    /// The program requested an object by its id, without reading its row.
    case tookFault(NSManagedObject)
    case ordered(NSManagedObject, slot: Int, [NSManagedObject])
    /// A fetched results controller has fetched objects. The identifier distinguishes controllers.
    case watched(ObjectIdentifier, FetchRequestOptions, sections: String?, [NSManagedObject])
    case shown(ObjectIdentifier, isBySection: Bool)
    case looked(ContextLook)
    case lookedAt(NSManagedObject, ObjectLook)
    case processesPending
    case removedStore
    case failed(StaticString, CoreDataError)
    /// The program called another member of the context; the value is the member's name.
    case called(StaticString)
    /// Code on this context's queue has put a block on another context's queue.
    case enqueued(block: Int, on: NSManagedObjectContext)
    /// The calling thread waits until a block has run on another context's queue.
    case waits(block: Int, on: NSManagedObjectContext)
    case blockBegins(Int)
    case blockEnds(Int)
    /// The engine, not the program, causes the events up to `engineEnds`.
    case engineBegins
    case engineEnds
}

/// A setting that changes a context's behaviour.
package enum ContextSetting: Sendable, Equatable {
    case staleness(Double)
    case automerge(Bool)
    case deletesInaccessible(Bool)
    case undo(Bool)
}

/// A property of a context that the program has read, without a fetch.
package enum ContextLook: UInt8, Sendable, CaseIterable {
    case hasChanges, inserted, updated, deleted, registered, isPinned
}

/// A fact about an object, apart from its values, that the program has read.
package enum ObjectLook: Sendable {
    case isInserted, isUpdated, isDeleted, isFault, hasChanges, changed
    /// The last fetched or saved values of these slots.
    case committed([Int])
}

/// Forwards the events of one context to several listeners.
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
    package final var listener: (any ContextListener)? { knownRegistry?.listener }

    /// Adds a listener for the program's operations on this context and its objects. Called on the
    /// context's queue, or before the context is used.
    package final func listen(_ listener: some ContextListener) throws(CoreDataError) {
        let registry = try requireRegistry()
        registry.listener = registry.listener.map { ListenerGroup([$0, listener]) } ?? listener
        for object in registry.all { object.state.insert(.heard) }
    }

    @inline(__always)
    final func emit(_ event: @autoclosure () -> ContextEvent) {
        if let listener { listener.note(event()) }
    }

    /// Runs an action of the engine between the events `engineBegins` and `engineEnds`. So
    /// listeners do not attribute it to the program.
    @inline(__always)
    final func unheard<T>(_ work: () throws(CoreDataError) -> T) throws(CoreDataError) -> T {
        guard let listener else { return try work() }
        listener.note(.engineBegins)
        defer { listener.note(.engineEnds) }
        return try work()
    }

    @inline(__always)
    final func emittingFailure<T>(
        _ what: StaticString, _ work: () throws(CoreDataError) -> T
    ) throws(CoreDataError) -> T {
        guard let listener else { return try work() }
        do throws(CoreDataError) { return try work() } catch {
            listener.note(.failed(what, error))
            throw error
        }
    }

    package final var heardSettings: [ContextSetting] {
        [
            .staleness(stalenessInterval), .automerge(automaticallyMergesChangesFromParent),
            .deletesInaccessible(shouldDeleteInaccessibleFaults), .undo(undoManager != nil),
        ]
    }

    /// The objects with unsaved changes.
    package final var heardChanges: ContiguousArray<NSManagedObject> {
        changes.inserted + changes.updated + changes.deleted
    }

    /// Whether the context has no registered object; also true for a context without a coordinator.
    package final var hasNoObjects: Bool { (knownRegistry?.count ?? 0) == 0 }

    package final var modelLayout: ModelLayout? { knownRegistry?.binding.layout }

    package final var liveChildren: [NSManagedObjectContext] { children.alive }
}

extension NSManagedObject {
    @inline(__always)
    final var isHeard: Bool { state.contains(.heard) }

    final var listener: (any ContextListener)? {
        registryReference?._withUnsafeGuaranteedRef { $0.listener } ?? nil
    }

    /// Whether the listener does not need the next access; the access is then only counted.
    @inline(__always)
    final var passesGate: Bool {
        registryReference?._withUnsafeGuaranteedRef { $0.passesGate } ?? false
    }

    @inline(never)
    final func emitRead(_ slot: Int, firedFault: Bool = false) {
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
    final func emitSet(_ slot: Int, to value: Value) {
        registryReference?._withUnsafeGuaranteedRef { registry in
            if registry.passesGate { return }
            registry.listener?.noteSet(self, slot, to: value)
        }
    }

    @inline(__always)
    final func emitInspection(_ look: @autoclosure () -> ObjectLook) {
        if isHeard { listener?.note(.lookedAt(self, look())) }
    }

    /// The slots of a new object that were set before the object had a context.
    package final var slotsSetBefore: [Int] {
        (pending?.mask.slots ?? []).filter { isChanged($0) }
    }

    /// The slots with unsaved values, including values that equal those of the row. A new object's
    /// values that equal the defaults are left out, because the program may not have set them.
    package final var heardSlots: [Int] {
        let slots = pending?.mask.slots ?? []
        return cells == nil ? slots.filter { isChanged($0) } : slots
    }

    package final func heardValue(at slot: Int) -> Value { currentValue(at: slot) }

    /// The object's row, if it contains the current value of the slot. Nil if an unsaved change
    /// contains the value.
    package final func heardCells(with slot: Int) -> UnsafeRawPointer? {
        pending?.isSet(slot) == true ? nil : cells
    }
}

/// Assigns a number to each block that is put on a context's queue. With it, a listener matches a
/// running block with the call that enqueued it.
enum BlockNumbers {
    private static let last = Atomic<Int>(0)

    static func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
