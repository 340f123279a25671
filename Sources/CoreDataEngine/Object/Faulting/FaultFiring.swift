import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Turns faults into realised objects and back. Every access that needs values calls these methods.
///
/// A fetch may already have attached a row to a fault. Firing the fault then runs no statement,
/// unless a context has saved since the fetch.
extension NSManagedObject {
    /// Reads the object's values.
    ///
    /// If the attached row is current, this takes almost no time. If the row cache holds the row,
    /// no statement runs. Otherwise one SELECT runs. If the object came from a fetch with a batch
    /// size, that SELECT reads the rows of the whole batch.
    ///
    /// - Parameter slot: the property being accessed, which is passed to the context's method for
    ///   inaccessible faults.
    final func fireFault(slot: Int?) throws(CoreDataError) {
        // The common case: the row was fetched, and no save has replaced it. Retaining an object is
        // slow once a weak reference to it exists, so the context is not retained here.
        if let cells, let registryReference,
            registryReference._withUnsafeGuaranteedRef({ $0.takesAsItIs(cells) })
        {
            state.remove(.fault)
            batch = nil
            awakenQuietly()
            return
        }
        if cells == nil, batch == nil, key > 0, let row = try rowAtOnce() {
            take(row)
            state.remove(.fault)
            awakenQuietly()
            return
        }
        try fireFaultSlowly(slot: slot)
    }

    /// Fires the fault with the row that the current fetch has read. Another context may have
    /// changed or deleted the row since. It is used nevertheless, so that all objects of a fetch
    /// show the same moment.
    ///
    /// - Parameter blocks: the blocks of the fetch. A fault with a row of another block is fired as
    ///   usual.
    final func realise(
        ifReadInto blocks: Set<ObjectIdentifier>, in context: NSManagedObjectContext
    ) throws(CoreDataError) {
        guard state.contains(.fault), let block, blocks.contains(ObjectIdentifier(block)) else {
            return try prepareAccess()
        }
        realise(in: context, source: .rowCache)
    }

    @inline(__always)
    private func rowAtOnce() throws(CoreDataError) -> UnsafeRawPointer? {
        guard let registryReference else { return nil }
        do throws(CoreDataError) {
            return try registryReference.lend { registry throws(CoreDataError) in
                try registry.rowAtOnce(objectKey)
            }
        } catch {
            throw error.concerning(objectKey)
        }
    }

    private func fireFaultSlowly(slot: Int?) throws(CoreDataError) {
        if state.contains(.inserted), cells == nil {
            // A refresh has dropped the new object's values, so it receives the defaults again.
            state.remove(.fault)
            return applyDefaults(of: registry?.context)
        }
        do throws(CoreDataError) { try readFault(slot: slot) } catch {
            throw error.concerning(objectKey)
        }
    }

    private func readFault(slot: Int?) throws(CoreDataError) {
        guard let context = registry?.context else { throw invalidatedError() }
        context.notifyWatcher(.firing(objectKey))
        if let batch, block == nil {
            try batch.load(in: context)
        }
        let isCurrent =
            block.map { context.source.stillHolds(objectKey, since: $0.generation) } ?? false
            || mutant(.faultsTakeOldRows)
        if let block, isCurrent, context.accepts(block) {
            realise(in: context, source: batch == nil ? .rowCache : .batch)
            return
        }
        guard key > 0 || context.parent != nil,
            let found = try context.row(of: objectKey, notBefore: context.oldestAcceptable)
        else {
            try context.faultIsInaccessible(self, slot: slot)
            return
        }
        realise(with: found.row, in: context, source: found.source)
    }

    final func realise(
        with row: RowReference, in context: NSManagedObjectContext, source: Event.FaultSource
    ) {
        attach(row)
        realise(in: context, source: source)
    }

    private func realise(in context: NSManagedObjectContext, source: Event.FaultSource) {
        assert(cells != nil, "the fired fault has no row")
        state.remove(.fault)
        batch = nil
        let trace = context.trace
        if trace.isOn {
            trace.record(.fault(object: objectName, source: source))
        }
        awakenQuietly()
    }

    /// Calls `awakeFromFetch`, whose changes are not recorded.
    @inline(__always)
    private func awakenQuietly() {
        state.insert(.quiet)
        if layoutReference._withUnsafeGuaranteedRef({ $0.hasTransientValues }) {
            takeTransientDefaults()
        }
        awakeFromFetch()
        state.remove(.quiet)
    }

    /// Sets transient attributes to their defaults, because rows do not contain them.
    final func takeTransientDefaults() {
        guard let registry else { return }
        for (slot, value) in registry.binding.transientDefaults(at: layout.index)
        where pending?.isSet(slot) != true {
            storePending(value, at: slot)
        }
    }

    final var objectName: ObjectName {
        ObjectName(
            entity: layout.name, key: key,
            store: registry?.store(for: layout, key: key)?.identifier ?? "")
    }

    /// Attaches a row to the object; a fault remains a fault.
    @inline(__always)
    final func attach(_ row: RowReference) {
        _ = Unmanaged.passRetained(row.block)
        take(row.cells)
    }

    package final var rowVersion: Int32 {
        guard let cells else { return 0 }
        return RowFormat.version(cells)
    }

    /// Drops the values and changes of the object. The row stays attached, so that a later access
    /// can compare it with the row cache.
    ///
    /// - Returns: the unsaved links that are also changes of other objects. The caller must restore
    ///   them.
    final func turnIntoFault() -> SharedLinks {
        guard !state.contains(.fault) else { return SharedLinks() }
        var shared = SharedLinks()
        willTurnIntoFault()
        noticingFault { shared = dropValues() }
        return shared
    }

    private func dropValues() -> SharedLinks {
        let hasOwnLinks = !state.isDisjoint(with: [.updated, .inserted])
        let shared = hasOwnLinks ? withdrawOwnLinks() : SharedLinks()
        dropPending()
        relationships = nil
        // The callback may read the context's changed objects, so this object must no longer be
        // among them.
        if state.contains(.updated) { registry?.context?.changes.noteCleared() }
        state.remove([.updated, .inaccessible, .resurrected])
        state.insert(.fault)
        didTurnIntoFault()
        return shared
    }
}

/// One page of a fetch with a batch size: objects whose rows are read together.
///
/// Every object of the page refers to this instance. The first object whose fault fires reads the
/// rows of the page.
package final class FaultBatch {
    private let keys: ContiguousArray<ObjectKey>
    private let entity: EntityLayout
    private var loadedGeneration: UInt64?

    init(keys: ContiguousArray<ObjectKey>, entity: EntityLayout) {
        assert(!keys.isEmpty, "the page has no objects")
        self.keys = keys
        self.entity = entity
    }

    /// Reads the page and attaches the rows to those objects that are alive. One SELECT.
    func load(in context: NSManagedObjectContext) throws(CoreDataError) {
        if loadedGeneration == context.source.generation { return }
        let rows = try context.source.rows(keys, entity: entity)
        loadedGeneration = context.source.generation
        context.registry.attachToFaults(rows)
    }
}
