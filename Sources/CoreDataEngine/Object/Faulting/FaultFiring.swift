import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Turning faults into realised objects and back.
///
/// A fetch may already have attached a row to a fault. Firing the fault then runs no statement,
/// unless a context has saved since the fetch. Every access that needs values calls these methods.
extension NSManagedObject {
    /// Reads the object's values.
    ///
    /// Costs nothing if the row is attached and current, no statement if the row cache has it, and
    /// one SELECT otherwise (one for the whole batch if the object came from a batched fetch).
    ///
    /// - Parameter slot: the property being accessed, which is passed to the context's method for
    ///   inaccessible faults.
    final func fireFault(slot: Int?) throws(CoreDataError) {
        // The common case: the row was fetched, and no save has replaced it. This path does not
        // retain the context, because retaining an object is slow once a weak reference to it
        // exists.
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

    /// Fires the fault with the row that the current fetch has read, even if another context has
    /// changed or deleted the row since then: all objects of a fetch show the rows of the same
    /// moment.
    ///
    /// - Parameter blocks: the blocks of the fetch. A fault with an older row reads its row again.
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

    /// Fires the fault with a row that was just looked up.
    final func realise(
        with row: RowReference, in context: NSManagedObjectContext, source: Event.FaultSource
    ) {
        attach(row)
        realise(in: context, source: source)
    }

    /// Marks the object as realised, with the row that is attached.
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

    /// Changes that a callback makes are not recorded.
    @inline(__always)
    private func awakenQuietly() {
        state.insert(.quiet)
        if layoutReference._withUnsafeGuaranteedRef({ $0.hasTransientValues }) {
            takeTransientDefaults()
        }
        awakeFromFetch()
        state.remove(.quiet)
    }

    /// Rows do not contain transient attributes, so these begin with their defaults.
    final func takeTransientDefaults() {
        guard let registry else { return }
        for (slot, value) in registry.binding.transientDefaults(at: layout.index)
        where pending?.isSet(slot) != true {
            storePending(value, at: slot)
        }
    }

    /// The name that identifies the object in the event stream.
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

    /// The version of the attached row; zero if no row is attached.
    package final var rowVersion: Int32 {
        guard let cells else { return 0 }
        return RowFormat.version(cells)
    }

    /// Drops the values and changes of the object. The row stays attached, so that a later access
    /// can compare the row with the row cache.
    ///
    /// - Returns: the unsaved links that are also changes of other objects and must be restored.
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
        // The callback may read the context's changed objects before the caller reports the change.
        if state.contains(.updated) { registry?.context?.changes.noteCleared() }
        state.remove([.updated, .inaccessible, .resurrected])
        state.insert(.fault)
        didTurnIntoFault()
        return shared
    }
}

/// Objects whose rows are read together: one page of a fetch with a batch size.
///
/// Each object of the page owns a reference to this instance. The first object whose fault fires
/// reads the whole page.
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
