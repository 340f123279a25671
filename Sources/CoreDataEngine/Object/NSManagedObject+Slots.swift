import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Foundation

/// Typed access by slot, for generated accessors.
///
/// A slot number is the position of a property among the entity's attributes and to-one
/// relationships: the superentity's first, then by name. To-many relationships are numbered
/// separately. A class lists the names in ``propertySlots`` and ``relationshipSlots``.
extension NSManagedObject {
    /// Reads an attribute. Fires a fault; costs one memory load if the object is realised and
    /// unchanged.
    @inlinable @inline(__always)
    public final func read<T: AttributeValue>(_ slot: Int) -> T {
        // Safe: an object with no bit of `slowPath` has a row.
        if state.rawValue & ObjectState.slowPathBits == 0, let cells {
            return RowWords.isNull(cells, slot) ? T._null : T._load(cells, slot)
        }
        if let cells = _cells(with: slot) {
            return RowWords.isNull(cells, slot) ? T._null : T._load(cells, slot)
        }
        return T._convert(_valueBesideRow(slot))
    }

    /// Changes an attribute. Fires a fault and marks the object as updated.
    @inlinable
    public final func write<T: AttributeValue>(_ slot: Int, _ value: T) {
        _write(slot, value._stored) { T._null._stored }
    }

    /// Reads a to-one relationship; its destination may be a fault.
    @inlinable @inline(__always)
    public final func readObject<T: NSManagedObject>(_ slot: Int) -> T? {
        guard let object = _destination(slot)?.takeUnretainedValue() else { return nil }
        guard let typed = object as? T else { _trapOnClass(of: object, slot, T.self) }
        return typed
    }

    /// Changes a to-one relationship and its inverse.
    public final func writeObject(_ slot: Int, _ object: NSManagedObject?) {
        orTrap { () throws(CoreDataError) in try setToOne(slot, to: object) }
        notifyWatcher(.wrote(self, slot: slot, equalsNull: object == nil))
    }

    /// Reads the members of a to-many relationship, in order if it is ordered.
    public final func readObjects(_ slot: Int) -> [NSManagedObject] {
        let members =
            knownMembers(slot)
            ?? reading(layout.toMany[slot].name) {
                () throws(CoreDataError) in try readMembers(slot)
            }
        notifyWatcher(.readMembers(self, slot: slot, count: members.count))
        return members
    }

    /// The members, if no SELECT and no call of a listener is needed to read them; otherwise nil.
    private func knownMembers(_ slot: Int) -> [NSManagedObject]? {
        guard state.isDisjoint(with: .unready), !isHeard,
            let known = relationships?.members(slot), known.isLoaded
        else { return nil }
        return known.members.array
    }

    /// Replaces the members of a to-many relationship and maintains the inverses.
    public final func writeObjects(_ slot: Int, _ members: [NSManagedObject]) {
        orTrap { () throws(CoreDataError) in try setToMany(slot, to: members) }
    }

    /// The number of members of a to-many relationship; one SELECT if it is a fault.
    public final func countObjects(_ slot: Int) -> Int {
        let count = reading(layout.toMany[slot].name) { () throws(CoreDataError) in
            try readMembers(slot).count
        }
        notifyWatcher(.readMembers(self, slot: slot, count: count))
        return count
    }

    /// Fires the fault. Returns the row if it contains the current value of the slot.
    @usableFromInline
    final func _cells(with slot: Int) -> UnsafeRawPointer? {
        // Only a listener disables the fast path, and it does not need this access.
        if state.intersection(.slowPath) == .heard, passesGate { return cells }
        let isFault = state.contains(.fault)
        becomeReady(for: slot)
        if isHeard { emitRead(slot, firedFault: isFault) }
        notifyWatcher(.read(self, slot: slot))
        if let pending, pending.isSet(slot) { return nil }
        return cells
    }

    /// The value of a slot that the row does not contain. The object must not be a fault.
    @usableFromInline
    final func _valueBesideRow(_ slot: Int) -> _Value { currentValue(at: slot) }

    /// The destination. It is not retained for the caller, because this object keeps it alive.
    @usableFromInline
    final func _destination(_ slot: Int) -> Unmanaged<NSManagedObject>? {
        let isFault = state.contains(.fault)
        becomeReady(for: slot)
        let found = destination(at: slot)
        if isHeard { emitRead(slot, firedFault: isFault) }
        notifyWatcher(.read(self, slot: slot))
        assert(
            found.map { $0 === knownDestination(slot) } ?? true,
            "the object does not own the destination")
        return found.map(Unmanaged.passUnretained)
    }

    @inline(__always)
    private func becomeReady(for slot: Int) {
        do throws(CoreDataError) { try prepareAccess() } catch { firingOn(after: error, slot) }
    }

    @usableFromInline
    final func _trapOnClass(of object: NSManagedObject, _ slot: Int, _ wanted: Any.Type) -> Never {
        trap(
            "'\(layout.values[slot].name)' leads to a \(type(of: object)), not to a \(wanted).")
    }

    /// - Parameter null: the value that the accessor reads if the slot is nil.
    @usableFromInline
    final func _write(_ slot: Int, _ value: _Value, null: () -> _Value) {
        orTrap { () throws(CoreDataError) in try setValue(value, at: slot) }
        notifyWatcher(.wrote(self, slot: slot, equalsNull: value == null()))
    }

    // MARK: Throwing cores

    /// The value of a slot, read by the program. Fires the fault.
    final func readValue(at slot: Int) throws(CoreDataError) -> Value {
        let isFault = state.contains(.fault)
        try prepareAccess()
        if isHeard { emitRead(slot, firedFault: isFault) }
        return currentValue(at: slot)
    }

    /// The destination of a to-one relationship, read by the program.
    final func readDestination(_ slot: Int) throws(CoreDataError) -> NSManagedObject? {
        let isFault = state.contains(.fault)
        let found = try toOneDestination(slot)
        if isHeard { emitRead(slot, firedFault: isFault) }
        return found
    }

    /// The members of a to-many relationship, read by the program.
    final func readMembers(_ slot: Int) throws(CoreDataError) -> [NSManagedObject] {
        let members = try toManyMembers(slot)
        if isHeard { listener?.note(.readMembers(self, slot: slot, members)) }
        return members
    }

    package final func value(at slot: Int) throws(CoreDataError) -> Value {
        try prepareAccess()
        return currentValue(at: slot)
    }

    final func currentValue(at slot: Int) -> Value {
        if let pending, pending.isSet(slot) { return pending[slot] }
        return committedValue(at: slot)
    }

    /// The value of a slot at the last fetch or save. A destination that a parent has saved since
    /// then has its permanent key.
    package final func committedValue(at slot: Int) -> Value {
        guard let cells else { return .null }
        let kind = layoutReference._withUnsafeGuaranteedRef { $0.values[slot].kind }
        let value = RowFormat.value(cells, slot: slot, kind: kind)
        guard case .reference(let key) = value, key.isTemporary, let registry else { return value }
        return .reference(registry.currentKey(key))
    }

    package final func setValue(_ value: Value, at slot: Int) throws(CoreDataError) {
        try prepareChange()
        if !state.isDisjoint(with: [.observed, .heard]) { return changeNotifying(slot, to: value) }
        change(slot, to: value)
    }

    private func changeNotifying(_ slot: Int, to value: Value) {
        if isHeard { emitSet(slot, to: value) }
        if state.contains(.observed) { return noticing(value: slot) { change(slot, to: value) } }
        change(slot, to: value)
    }

    @inline(__always)
    private func change(_ slot: Int, to value: Value) {
        noteWillChange(slot)
        storePending(value, at: slot)
        noteChanged()
    }

    /// Fires the fault. Also checks the queue, if such checks are enabled.
    @inline(__always)
    final func prepareAccess() throws(CoreDataError) {
        if state.isDisjoint(with: .unready) { return }
        try prepareAccessSlowly()
    }

    /// Fires the fault; false if the row does not exist.
    ///
    /// - Throws: an error if the store cannot be read. The caller must not continue without the
    ///   object, because it would save only some of the changes.
    final func isReadable() throws(CoreDataError) -> Bool {
        do { try prepareAccess() } catch {
            if error.code == .inaccessibleObject { return false }
            throw error
        }
        return !state.contains(.inaccessible)
    }

    private func prepareAccessSlowly() throws(CoreDataError) {
        try checkUsable()
        if state.contains(.fault) { try fireFault(slot: nil) }
    }

    /// Checks that the object has not been invalidated. Also checks the queue, if such checks are
    /// enabled.
    final func checkUsable() throws(CoreDataError) {
        if state.contains(.checked) { try registry?.context?.checkConfined("a managed object") }
        if state.isSuperset(of: [.fault, .invalidated]) { throw invalidatedError() }
    }

    final func prepareChange() throws(CoreDataError) {
        try prepareAccess()
        if state.contains(.invalidated) { throw invalidatedError() }
    }

    final func invalidatedError() -> CoreDataError {
        // Objects keep the registry alive, so its existence does not show that the context exists.
        let reason =
            registry?.hasContext == true
            ? "its context was reset or its store removed. Fetch it again."
            : "its context was released. Keep the context, or its container, as long as its"
                + " objects are used."
        return CoreDataError(
            .inaccessibleObject,
            "The object \(objectID.uriRepresentation().absoluteString) has been invalidated: "
                + reason,
            objects: [objectID.key])
    }

    final func storePending(_ value: Value, at slot: Int) {
        assert(
            layoutReference._withUnsafeGuaranteedRef { $0.values.indices.contains(slot) },
            "the entity has no such slot")
        ensurePending()[slot] = value
    }

    /// Records the value that a slot had when the event began.
    @inline(__always)
    final func noteWillChange(_ slot: Int) {
        if !state.isDisjoint(with: [.eventInserted, .quiet]) || registryReference == nil { return }
        rememberEventBase(slot)
    }

    private func rememberEventBase(_ slot: Int) {
        guard let old = ensurePending().noteEventBase(slot, { currentValue(at: slot) }) else {
            return
        }
        if let recorder, layout.values[slot].toOne == nil {
            recorder.noteValue(self, slot, old: old)
        }
    }

    @inline(__always)
    final func noteChanged() {
        if !state.isDisjoint(with: [.inserted, .quiet]) && !needsEventNote { return }
        registryReference?._withUnsafeGuaranteedRef { registry in
            registry.changes?._withUnsafeGuaranteedRef { $0.noteUpdated(self) }
        }
    }

    private var needsEventNote: Bool {
        !state.contains(.quiet) && state.isDisjoint(with: [.eventInserted, .eventUpdated])
    }
}
