import CRuntimeShims
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation

/// One object of a context's graph: an entity, an id, and values that are read when needed.
///
/// An object belongs to one context and may only be used on that context's queue; pass its
/// ``objectID`` to other contexts. Creating an object inserts it; fetching and following
/// relationships return faults, which read their row at the first access.
///
/// Subclasses add typed accessors by slot (see ``read(_:)``) and override the life cycle callbacks.
/// A subclass that overrides `init(entity:insertInto:)` declares it `required`, not `override`.
open class NSManagedObject: NSObject, ManagedObjectCreation {
    /// A pointer to the cells of the attached row; nil if no row is attached. The object owns a
    /// reference to the row's block; see ``take(_:)``.
    @usableFromInline @exclusivity(unchecked)
    package internal(set) final var cells: UnsafeRawPointer?
    /// The entity. The model's binding keeps it alive as long as the program, and its layout is
    /// frozen. Keyed accessors read it at every access, so it is stored next to the fields that
    /// they read.
    @usableFromInline
    @exclusivity(unchecked) final let entityReference: Unmanaged<NSEntityDescription>
    @usableFromInline @exclusivity(unchecked) package final var state: ObjectState = []
    /// The to-one slot to which `destination` belongs; -1 if `destination` is not set.
    @exclusivity(unchecked) private final var destinationSlot: Int32 = -1
    /// The first to-one destination that was looked up. Most objects need only one, so it is stored
    /// here: separate storage would cost an allocation.
    @exclusivity(unchecked) private final var destination: NSManagedObject?
    /// Unsaved values, whose memory the object owns; see ``dropPending()``.
    @exclusivity(unchecked) private(set) final var pending: PendingValues?
    @exclusivity(unchecked) private final var storage: RelationshipStorage?
    /// The identity map this object is registered in, retained; nil without a context.
    @exclusivity(unchecked) final var registryReference: Unmanaged<ObjectRegistry>?
    @exclusivity(unchecked) final var key: Int64 = 0
    @exclusivity(unchecked) private final var companion = Companion.none

    /// The id, the batch or the store of the object. An object needs only one of these at a time.
    /// They share one property to keep objects small. A dropped id can be created again.
    private enum Companion {
        case none
        case identifier(NSManagedObjectID)
        case batch(FaultBatch)
        /// The store of an object that has left its context.
        case origin(StoreOrigin)
    }

    /// Creates an object of the entity and inserts it into the context.
    ///
    /// If called on `NSManagedObject` itself, the initialiser creates an instance of the entity's
    /// own class, unless the context is passed as an optional variable. If the context is nil, the
    /// object has no context until `insert(_:)`. Must be called on the context's queue. Runs no
    /// SQL.
    @_disfavoredOverload
    // This attribute makes the initialiser own its arguments. Otherwise `keepCounts(of:_:)` would
    // retain them, and a caller would release them.
    @_semantics("optimize.sil.specialize.owned2guarantee.never")
    public required init(
        // The parameters are not `__shared`: an override in a program owns its arguments, as
        // initialisers usually do. The compiler does not convert between the two conventions, so
        // the arguments would be released once too often.
        entity: NSEntityDescription, insertInto context: NSManagedObjectContext?
    ) {
        entityReference = .passUnretained(entity)
        super.init()
        if Materialization.isMarker(context) {
            state = .fault
            Materialization.keepCounts(of: entity, context)
            return
        }
        if entity.layoutReference == nil { Materialization.freeze(entity) }
        applyDefaults(of: context)
        if let context {
            context.served("insert(_:)") { () throws(CoreDataError) in
                try context.insertObject(self)
            }
        }
    }

    /// Unavailable, because an object needs an entity. Use `init(context:)` or
    /// `init(entity:insertInto:)`.
    public convenience override init() {
        trap(
            CoreDataError(
                .invalidArgument,
                "Failed to call designated initializer on NSManagedObject class '\(Self.self)'. Use"
                    + " init(context:) or init(entity:insertInto:)."))
    }

    deinit {
        if state.contains(.observed) { ObservationTable.shared.forget(self) }
        if let registryReference {
            if !state.contains(.invalidated) {
                registryReference._withUnsafeGuaranteedRef {
                    $0.remove(self, key: key, root: rootIndex)
                }
            }
            registryReference.release()
        }
        pending?.deallocate()
        take(nil)
    }

    // MARK: Unsaved values

    final func ensurePending() -> PendingValues {
        if let pending { return pending }
        assert(!state.contains(.pending), "the object is marked as changed but has no values")
        let made = PendingValues(
            slotCount: layoutReference._withUnsafeGuaranteedRef { $0.values.count })
        pending = made
        state.insert(.pending)
        return made
    }

    final var hasHadRow: Bool {
        cells != nil || !state.isDisjoint(with: [.fault, .inaccessible])
    }

    /// Turns an object that has left its context into a new object without a row and without links.
    /// Its attribute values stay the same.
    final func forgetRow() {
        assert(registryReference == nil, "the object still belongs to a context")
        let layout = layout
        for slot in layout.values.indices where !layout.isToOne(slot) {
            storePending(currentValue(at: slot), at: slot)
        }
        take(nil)
        state.subtract([.fault, .inaccessible, .deletedByMerge, .resurrected])
    }

    /// Frees the unsaved values. No handle to them may be used afterwards.
    final func dropPending() {
        guard let pending else { return }
        assert(brokenPendingValues() == nil, brokenPendingValues() ?? "")
        self.pending = nil
        state.remove(.pending)
        pending.deallocate()
    }

    // MARK: Parts that are stored as bare references

    package final var layout: EntityLayout { layoutReference.takeUnretainedValue() }

    /// The layout of the entity, which lives as long as the program.
    @inline(__always)
    final var layoutReference: Unmanaged<EntityLayout> {
        // Safe: the initialiser has ensured that the entity is frozen.
        entityReference._withUnsafeGuaranteedRef { $0.layoutReference.unsafelyUnwrapped }
    }

    final var identifier: NSManagedObjectID? {
        get { if case .identifier(let identifier) = companion { identifier } else { nil } }
        set {
            if let newValue {
                companion = .identifier(newValue)
            } else if batch == nil {
                companion = .none
            }
        }
    }

    /// Whether the object's store is known, so that its id can be created without a context.
    final var knowsStore: Bool {
        switch companion {
        case .identifier, .origin: true
        case .none, .batch: false
        }
    }

    /// Records the store, so that the id can be created after the object has left its context.
    final func keepOrigin(_ origin: StoreOrigin) {
        if !knowsStore { companion = .origin(origin) }
    }

    /// The batch of objects whose rows are read together with this object's.
    final var batch: FaultBatch? {
        get { if case .batch(let batch) = companion { batch } else { nil } }
        set {
            if let newValue {
                companion = .batch(newValue)
            } else if case .batch = companion {
                companion = .none
            }
        }
    }

    final var entityDescription: NSEntityDescription { entityReference.takeUnretainedValue() }

    final var registry: ObjectRegistry? {
        get { registryReference?.takeUnretainedValue() }
        set {
            let old = registryReference
            registryReference = newValue.map(Unmanaged.passRetained)
            old?.release()
        }
    }

    final var block: RowBlock? { cells.map { RowFormat.block($0).takeUnretainedValue() } }

    /// Attaches a row, taking over a reference to its block; nil removes the row.
    @inline(__always)
    final func take(_ row: UnsafeRawPointer?) {
        let old = cells
        cells = row
        if let old { RowFormat.block(old).release() }
    }

    /// Attaches a row as ``take(_:)`` does. Returns the former row, whose reference the caller must
    /// release.
    @inline(__always)
    final func exchange(_ row: UnsafeRawPointer) -> UnsafeRawPointer? {
        let old = cells
        cells = row
        return old
    }

    /// The known relationships without the first to-one destination. Setting nil also forgets that
    /// destination.
    final var relationships: RelationshipStorage? {
        get { storage }
        set {
            storage = newValue
            guard newValue == nil, destinationSlot >= 0 else { return }
            destination = nil
            destinationSlot = -1
        }
    }

    final var knowsRelationships: Bool { storage != nil || destinationSlot >= 0 }

    @inline(__always)
    final func knownDestination(_ slot: Int) -> NSManagedObject? {
        destinationSlot == Int32(truncatingIfNeeded: slot)
            ? destination : storage?.otherDestination(slot)
    }

    /// Calls the body with the known destination of a to-one slot, without retaining it.
    @inline(__always)
    final func withKnownDestination<T>(_ slot: Int, _ body: (NSManagedObject) -> T) -> T? {
        guard let found = knownDestination(slot) else { return nil }
        return Unmanaged.passUnretained(found)._withUnsafeGuaranteedRef(body)
    }

    final func ensureMembers(_ slot: Int) -> ToManyMembers {
        if let found = storage?.members(slot) { return found }
        let storage = ensureRelationships()
        return layoutReference._withUnsafeGuaranteedRef { storage.makeMembers(slot, of: $0) }
    }

    final func forgetDestination(_ slot: Int) {
        if knownDestination(slot) != nil { setKnownDestination(slot, nil) }
    }

    final func setKnownDestination(_ slot: Int, _ object: NSManagedObject?) {
        assert(
            layoutReference._withUnsafeGuaranteedRef { $0.isToOne(slot) },
            "the slot is not a to-one relationship")
        if destinationSlot < 0 || destinationSlot == Int32(truncatingIfNeeded: slot) {
            destinationSlot = Int32(truncatingIfNeeded: slot)
            destination = object
        } else {
            ensureRelationships().setOtherDestination(slot, object)
        }
    }

    // MARK: Identity

    /// The entity of the object.
    public final var entity: NSEntityDescription { entityDescription }

    /// The context that the object belongs to; nil after its deletion was saved, or after a reset.
    public final var managedObjectContext: NSManagedObjectContext? { registry?.context }

    /// The object's id; temporary until the first save. Never fires a fault.
    public final var objectID: NSManagedObjectID {
        identifier(in: registry?.store(for: layout, key: key)?.origin)
    }

    /// The object's id. The given store is used only if the object holds neither its id nor its
    /// store.
    final func identifier(in origin: @autoclosure () -> StoreOrigin?) -> NSManagedObjectID {
        if let identifier { return identifier }
        var store: StoreOrigin?
        if case .origin(let kept) = companion { store = kept } else if key >= 0 { store = origin() }
        let made = NSManagedObjectID(key: objectKey, entity: entityReference, origin: store)
        if batch == nil { identifier = made }
        return made
    }

    /// Objects are equal only if they are identical, so the hash is the object's address.
    public final override var hash: Int {
        Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())
    }

    package final var objectKey: ObjectKey {
        ObjectKey(entity: layoutReference._withUnsafeGuaranteedRef { $0.index }, key: key)
    }

    // MARK: State

    /// Whether the object will be written as a new row at the next save.
    public final var isInserted: Bool {
        emitInspection(.isInserted)
        return state.contains(.inserted)
    }
    /// Whether the object has unsaved changes and is neither new nor deleted.
    public final var isUpdated: Bool {
        emitInspection(.isUpdated)
        return state.contains(.updated) && state.isDisjoint(with: [.inserted, .deleted])
    }
    /// Whether the object will be deleted at the next save.
    public final var isDeleted: Bool {
        emitInspection(.isDeleted)
        return state.contains(.deleted)
    }
    /// Whether the object's values have not been read yet. Never fires the fault.
    public final var isFault: Bool {
        emitInspection(.isFault)
        return state.contains(.fault)
    }
    /// 1 if the object is a fault, 0 if it is realised.
    open var faultingState: Int { isFault ? 1 : 0 }
    /// Whether the object is new, changed or deleted since the last save. Setting a property to its
    /// current value counts as a change.
    open var hasChanges: Bool {
        emitInspection(.hasChanges)
        return !state.isDisjoint(with: .changed)
    }

    // MARK: Callbacks

    /// Called once, after insertion and defaults. Override it to set initial values.
    open func awakeFromInsert() {}

    /// Called whenever a fault has been fired. Changes that an override makes are not recorded.
    open func awakeFromFetch() {}

    /// Called after several properties were reset together, by an undo, a rollback, a refresh or a
    /// merge policy.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

    /// Called when the object is about to be deleted, while it still has its relationships.
    open func prepareForDeletion() {}

    /// Called before a save, and again if the object was changed after the last call.
    open func willSave() {}

    /// Called after a save, also for deleted objects.
    open func didSave() {}

    /// Called before the object's values are dropped.
    open func willTurnIntoFault() {}

    /// Called after the object's values have been dropped.
    open func didTurnIntoFault() {}

    // MARK: Validation

    /// Checks the object before its row is inserted; override it, call super first, and throw your
    /// own errors.
    ///
    /// - Throws: a validation error (1550–1680); error 1560 contains several validation errors.
    open func validateForInsert() throws {
        try bridgingErrors { () throws(CoreDataError) in
            try ObjectValidation.validateValues(self)
        }
    }

    /// Checks the object before its row is updated; see ``validateForInsert()``.
    open func validateForUpdate() throws {
        try bridgingErrors { () throws(CoreDataError) in
            try ObjectValidation.validateValues(self)
        }
    }

    /// Checks whether the object may be deleted.
    ///
    /// - Throws: 1600 if a relationship with the deny rule leads to an object that is not deleted.
    open func validateForDelete() throws {
        try bridgingErrors { () throws(CoreDataError) in
            try ObjectValidation.validateForDelete(self)
        }
    }

    /// Checks a value before it is saved: throws to reject it, or replaces it.
    public typealias PropertyValidator =
        @Sendable (_ object: NSManagedObject, _ value: inout Any?) throws -> Void

    /// The entity whose objects are instances of this class.
    ///
    /// If several entities of the models in use name the class, the log says so, and the method
    /// returns the first of them. Traps if no entity names it.
    open class func entity() -> NSEntityDescription { claimedEntity() }

    /// A request for all objects of this class's entity.
    ///
    /// A method of the same name that a class declares for its own type, as Xcode writes it, is
    /// preferred. If no entity of the models in use names the class, the log says so, and the
    /// request has no entity.
    @_disfavoredOverload
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        claimedRequest()
    }

    /// Custom checks of single properties, by property name.
    ///
    /// They replace the `validate<Key>` methods that Apple's framework finds by name, and run
    /// before the model's rules: at each save of the object, and in ``validateValue(_:forKey:)``.
    /// The table is read once, when a coordinator first uses the model; a subclass adds its checks
    /// to super's. Empty by default.
    open class var propertyValidators: [String: PropertyValidator] { [:] }

    /// The class's members that are accessed by name, in addition to the model's properties:
    /// computed properties, and `validate<Key>` methods.
    ///
    /// The list is read once, when a coordinator first uses the model; a subclass adds its members
    /// to super's. Empty by default. The plugin `CoreDataSources` generates it.
    open class var keyedMembers: [KeyedMember] { [] }

    /// The class's Objective-C name: the name in `@objc(Name)`, otherwise its Swift name with its
    /// module.
    ///
    /// ``NSStringFromClass(_:)`` returns it. The plugin `CoreDataSources` writes it for classes
    /// with `@objc(Name)`.
    open class var objectiveCName: String { String(reflecting: self) }

    /// The effect of ``didChangeValue(forKey:)`` for a property that the model does not have. If
    /// true (the default), the object is unchanged; if false, it is marked as changed.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    /// The value slots of this class in the order in which its accessors number them.
    ///
    /// A class with accessors by slot lists the property names here. They are compared with the
    /// entity once, when a coordinator first uses the model. So an accessor can never read another
    /// property's value. Nil (the default) means that the class has no such accessors.
    open class var propertySlots: [String]? { nil }

    /// The to-many slots of this class, like ``propertySlots`` for values.
    open class var relationshipSlots: [String]? { nil }

    /// The object's entity, id and values; a fault is not fired.
    open override var description: String { text }

    open override var debugDescription: String { text }

    // MARK: Key-value coding

    /// The value of a property: numbers as `NSNumber`, a to-one destination as an object, to-many
    /// members as `NSSet` or `NSOrderedSet`. Fires faults.
    ///
    /// A key that neither the model nor
    /// ``keyedMembers`` contains is passed to ``value(forUndefinedKey:)``.
    @discardableResult
    open func value(forKey key: String) -> Any? { keyedValue(key) }

    /// Sets a property and maintains a relationship's inverse.
    ///
    /// A key that neither the model nor ``keyedMembers`` contains is passed to
    /// ``setValue(_:forUndefinedKey:)``. Nil for a member that is not optional calls
    /// ``setNilValueForKey(_:)``.
    open func setValue(_ value: Any?, forKey key: String) { setKeyedValue(value, key) }

    /// The value at the end of a path through relationships, with collection operators.
    @discardableResult
    open func value(forKeyPath keyPath: String) -> Any? { keyedValue(atPath: keyPath) }

    /// Sets the property at the end of a path through to-one relationships.
    open func setValue(_ value: Any?, forKeyPath keyPath: String) {
        setKeyedValue(value, atPath: keyPath)
    }

    /// Called by ``value(forKey:)`` for an unknown key. Override it to support more keys; this
    /// implementation traps.
    open func value(forUndefinedKey key: String) -> Any? {
        reading(key) { () throws(CoreDataError) in try readValue(forKey: key) }
    }

    /// Called by ``setValue(_:forKey:)`` for an unknown key. Override it to support more keys; this
    /// implementation traps.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        orTrap { () throws(CoreDataError) in try writeValue(value, forKey: key) }
    }

    /// Called by ``setValue(_:forKey:)`` with nil for a member of ``keyedMembers`` whose type is
    /// not optional. Override it to set another value; this implementation traps. Attributes of the
    /// model accept nil.
    open func setNilValueForKey(_ key: String) {
        trap(
            CoreDataError(
                .invalidArgument,
                "[\(Swift.type(of: self)) setNilValueForKey]: could not set nil as the value for"
                    + " the key \(key)."))
    }

    /// Sets each property by ``setValue(_:forKey:)``; `NSNull` means nil.
    open func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues.sorted(by: { $0.key < $1.key }) {
            setValue(AttributeCoding.flattened(value), forKey: key)
        }
    }

    /// Reads each key by ``value(forKey:)``; the result has `NSNull` for nil.
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { $1 })
    }

    /// The object's value of a property; nil for a fault, which is not fired.
    ///
    /// Call ``willAccessValue(forKey:)`` first to read the value, as a hand-written accessor does.
    @discardableResult
    open func primitiveValue(forKey key: String) -> Any? {
        orTrap { () throws(CoreDataError) in try readPrimitive(forKey: key) }
    }

    /// Sets a property without maintaining inverses and without firing a fault. The object is not
    /// marked as changed until its next change.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) {
        orTrap { () throws(CoreDataError) in try writePrimitive(value, forKey: key) }
    }

    /// Fires the fault, as a hand-written accessor must before it reads a primitive value.
    open func willAccessValue(forKey key: String?) {
        let isUnread = state.contains(.fault)
        reading(key) { () throws(CoreDataError) in try prepareAccess() }
        if isUnread, isHeard { listener?.note(.fired(self)) }
    }

    /// Ends an access that ``willAccessValue(forKey:)`` began.
    open func didAccessValue(forKey key: String?) {}

    /// Reports that a hand-written accessor is about to change a property.
    open func willChangeValue(forKey key: String) {
        noteAccessorWillChange(key)
        if state.contains(.observed) { noticeWillChange(key) }
    }

    /// Reports that a hand-written accessor has changed a property. The object is now dirty, unless
    /// the model does not have the property; see ``contextShouldIgnoreUnmodeledPropertyChanges``.
    open func didChangeValue(forKey key: String) {
        noteAccessorDidChange(key)
    }

    /// A live set of the members of a to-many relationship.
    open func mutableSetValue(forKey key: String) -> NSMutableSet {
        orTrap { () throws(CoreDataError) in
            MutableRelationshipSet(owner: self, slot: try requireToMany(key))
        }
    }

    /// A live ordered set of the members of an ordered to-many relationship.
    open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        orTrap { () throws(CoreDataError) in
            MutableOrderedRelationship(owner: self, slot: try requireToMany(key))
        }
    }

    /// A live set of the members of the to-many relationship at the end of a path.
    ///
    /// Traps if a to-one relationship in the path is nil.
    open func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        let (owner, key) = owner(ofPath: keyPath)
        return owner.mutableSetValue(forKey: key)
    }

    /// A live ordered set of the members of the relationship at the end of a path; see
    /// ``mutableSetValue(forKeyPath:)``.
    open func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        let (owner, key) = owner(ofPath: keyPath)
        return owner.mutableOrderedSetValue(forKey: key)
    }

    /// Whether the relationship has not been read yet. Never fires a fault.
    open func hasFault(forRelationshipNamed key: String) -> Bool {
        if isHeard { listener?.note(.called("hasFault(forRelationshipNamed:)")) }
        return isUnread(relationshipNamed: key)
    }

    /// The ids of a relationship's destinations. Fires the fault of this object, but not those of
    /// the destinations.
    open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        destinationIDs(key)
    }

    // MARK: Changes

    /// Changed persistent properties with their new values.
    open func changedValues() -> [String: Any] {
        emitInspection(.changed)
        return unsavedValues()
    }

    /// Persistent properties changed since pending changes were last processed, with their former
    /// values.
    open func changedValuesForCurrentEvent() -> [String: Any] {
        if isHeard { listener?.note(.called("changedValuesForCurrentEvent()")) }
        return valuesBeforeEvent()
    }

    /// The values that were last fetched or saved. If `keys` is nil, the dictionary contains all
    /// persistent properties. Fires the fault.
    open func committedValues(forKeys keys: [String]?) -> [String: Any] {
        let slots = layout.values.indices.filter {
            keys?.contains(layout.values[$0].name) ?? true
        }
        emitInspection(.committed(slots))
        return savedValues(forKeys: keys)
    }

    /// Whether a persistent property differs from its last fetched or saved value; for a new
    /// object, from its default.
    ///
    /// A refresh unloads the members of a changed to-many relationship. This property then reads
    /// them again to compare them.
    open var hasPersistentChangedValues: Bool {
        emitInspection(.hasChanges)
        return SavePlanBuilder.changedSlots(of: self).slots.contains { isChanged($0) }
            || hasChangedMembers
    }

    // MARK: Observation and validation

    /// Reports that a to-many relationship is about to change, and fires the fault.
    ///
    /// Observers of the key are notified of added and removed members: `union` is an insertion,
    /// `minus` and `intersect` are removals, `set` is a replacement.
    open func willChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        noteAccessorWillChange(inKey)
        if state.contains(.observed) { noticeWillChange(inKey, inMutationKind, inObjects) }
    }

    /// Reports that a to-many relationship has changed: the object is now dirty.
    open func didChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        noteAccessorDidChange(inKey)
    }

    /// Reports that a hand-written accessor is about to change an ordered relationship at the
    /// indexes.
    open func willChange(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
    ) {
        noteAccessorWillChange(key)
        if state.contains(.observed) { noticeWillChange(key, changeKind, at: indexes) }
    }

    /// Reports that a hand-written accessor has changed an ordered relationship at the indexes.
    open func didChange(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
    ) {
        noteAccessorDidChange(key)
    }

    /// The key paths whose changes also notify observers of the key.
    ///
    /// A subclass adds its key paths to those of super. This method returns the key paths that
    /// ``keyedMembers`` list for the key. Paths lead through to-one relationships.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        listedDependencies(of: key)
    }

    /// Whether key-value coding notifies observers when it sets the key. False for properties of
    /// the model, because their accessors notify observers.
    open class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
        isUnmodelled(key)
    }

    /// Always nil, because observers are stored elsewhere.
    open func observationInfo() -> UnsafeMutableRawPointer? { nil }

    /// Ignores the value, and writes to the log once.
    open func setObservationInfo(_ inObservationInfo: UnsafeMutableRawPointer?) {
        if inObservationInfo == nil { return }
        EngineLog.errorOnce(
            "an object does not store observationInfo on this platform; its observers are still"
                + " notified.")
    }

    /// Checks one value before it is set, as a save would; a check of ``propertyValidators`` may
    /// replace it.
    ///
    /// - Throws: the first validation error (1550–1680) for the value, or the error of the class's
    ///   own check; `unknownKey` if the key is not a property.
    open func validateValue(_ value: inout Any?, forKey key: String) throws {
        let given = value
        value = try bridgingErrors { () throws(CoreDataError) in
            try ObjectValidation.validate(given, forKey: key, of: self)
        }
    }

    /// Checks one value for the property at the end of a path through to-one relationships.
    ///
    /// - Throws: the errors of ``validateValue(_:forKey:)``; none if a relationship in the path is
    ///   nil.
    open func validateValue(_ value: inout Any?, forKeyPath keyPath: String) throws {
        let (owner, key) = try bridgingErrors { () throws(CoreDataError) in
            try end(ofPath: keyPath)
        }
        try owner?.validateValue(&value, forKey: key)
    }
}

// Unavailable, because an object may only be used on its context's queue.
@available(*, unavailable, message: "Managed objects belong to one context; pass their objectID.")
extension NSManagedObject: @unchecked Sendable {}

/// Initialisers that the protocol adds to managed objects.
///
/// A Swift class's initialisers cannot return another class, but an initialiser in a protocol
/// extension can assign `self`. A subclass may also declare a convenience initialiser of the same
/// name without `override`.
public protocol ManagedObjectCreation {}

extension ManagedObjectCreation where Self: NSManagedObject {
    /// Creates an object of this class's entity in the context.
    ///
    /// Traps if no entity of the context's model names this class; the base class always traps. A
    /// subclass may declare its own `convenience init(context:)`. An expression that names the
    /// subclass calls that initialiser. Generic code for the base class calls this one.
    public init(context moc: NSManagedObjectContext) {
        let entity = orTrap { () throws(CoreDataError) in try moc.entity(forClass: Self.self) }
        let context: NSManagedObjectContext? = moc
        self.init(entity: entity, insertInto: context)
    }

    /// Creates an object of the entity's own class and inserts it into the context.
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext) {
        self = Materialization.object(of: entity, in: context, as: Self.self)
    }

    /// Creates an object of the entity's own class that has no context yet.
    public init(entity: NSEntityDescription, insertInto context: NoContext) {
        self = Materialization.object(of: entity, in: nil, as: Self.self)
    }
}

/// The type of a literal `nil` passed as the context.
public struct NoContext: ExpressibleByNilLiteral {
    /// Represents the missing context.
    public init(nilLiteral: ()) {}
}

/// Creates instances of the classes that a model names.
enum Materialization {
    /// Passed to the initialiser instead of a context if the object's values already exist.
    static let marker = NSManagedObjectContext(
        concurrencyType: .privateQueueConcurrencyType, queue: SteppedQueue(label: "none"))
    private static let markerAddress = UInt(
        bitPattern: Unmanaged.passUnretained(marker).toOpaque())

    @inline(__always)
    static func isMarker(_ context: borrowing NSManagedObjectContext?) -> Bool {
        unsafeBitCast(context, to: UInt.self) == markerAddress
    }

    /// Freezes an entity if no coordinator has used the entity's model yet.
    static func freeze(_ entity: NSEntityDescription) {
        orTrap { () throws(CoreDataError) in _ = try ModelBinding.of(entity) }
    }

    static func object<T: NSManagedObject>(
        of entity: NSEntityDescription, in context: NSManagedObjectContext?, as type: T.Type
    ) -> T {
        let binding = orTrap { () throws(CoreDataError) in try ModelBinding.of(entity) }
        let objectClass = binding.objectClass(at: entity.layout.index)
        let made = (objectClass is T.Type ? objectClass : T.self)
            .init(entity: entity, insertInto: context)
        // Safe: the class is T or one of its subclasses, as the line above ensures.
        return unsafeDowncast(made, to: T.self)
    }

    /// Creates a fault without a row. Neither sets default values nor inserts the object.
    ///
    /// An initialiser releases its arguments. All threads share the entity and the marker, so their
    /// reference counts would slow down every object of a fetch. Therefore neither is retained
    /// here, and ``keepCounts(of:_:)`` balances the release.
    @inline(__always)
    static func fault(
        of objectClass: NSManagedObject.Type, entity: Unmanaged<NSEntityDescription>,
        marker: Unmanaged<NSManagedObjectContext>
    ) -> NSManagedObject {
        // The variable is optional, because a non-optional argument would select the initialiser
        // that looks up the entity's class. It is consumed, because the compiler would otherwise
        // pass a copy and change the reference counts.
        let context: NSManagedObjectContext? = marker.takeRetainedValue()
        let made = objectClass.init(
            entity: entity.takeRetainedValue(), insertInto: consume context)
        if !made.state.contains(.fault) || made.entityReference.toOpaque() != entity.toOpaque() {
            // The program's initialiser has passed other arguments to super. These arguments have
            // already been released.
            _ = entity.retain()
            _ = marker.retain()
        }
        return made
    }

    /// Balances the release of an initialiser's arguments.
    @inline(__always)
    static func keepCounts(
        of entity: consuming NSEntityDescription, _ marker: consuming NSManagedObjectContext?
    ) {
        _ = Unmanaged.passRetained(entity)
        _ = marker.map(Unmanaged.passRetained)
    }
}
