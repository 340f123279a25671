import CRuntimeShims
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import CoreDataTrace
import Foundation

/// One object of a context's graph: an entity, an id, and values that are read when needed.
///
/// An object belongs to one context and may be touched on that context's queue only; its
/// ``objectID`` is what crosses to others. Creating one inserts it; fetching and following
/// relationships give faults, which read their row at the first access.
///
/// Subclasses add typed accessors by slot (see ``read(_:)``) and override the life cycle
/// callbacks. A subclass that overrides `init(entity:insertInto:)` writes `required` where
/// Apple's compilers want `override`.
open class NSManagedObject: NSObject, ManagedObjectCreation {
    /// The words of the row, or nil where there is no row (yet). The object owns a reference to
    /// the row's block; see ``take(_:)``.
    @usableFromInline @exclusivity(unchecked)
    package internal(set) final var cells: UnsafeRawPointer?
    /// Kept by the model's binding, which lives as long as the program. Its layout is frozen. It
    /// stands beside what each access reads, since keyed accessors ask for it.
    @usableFromInline
    @exclusivity(unchecked) final let entityReference: Unmanaged<NSEntityDescription>
    @usableFromInline @exclusivity(unchecked) package final var state: ObjectState = []
    /// The slot of `destination`; -1 without one.
    @exclusivity(unchecked) private final var destinationSlot: Int32 = -1
    /// The destination of the first to-one slot that was met. Most objects meet no other, and
    /// storage beside the object would be an allocation for each object of a fetch.
    @exclusivity(unchecked) private final var destination: NSManagedObject?
    /// Unsaved values, whose memory the object owns; see ``dropPending()``.
    @exclusivity(unchecked) private(set) final var pending: PendingValues?
    @exclusivity(unchecked) private final var storage: RelationshipStorage?
    /// The identity map this object is registered in, retained; nil without a context.
    @exclusivity(unchecked) final var registryReference: Unmanaged<ObjectRegistry>?
    @exclusivity(unchecked) final var key: Int64 = 0
    @exclusivity(unchecked) private final var companion = Companion.none

    /// Of two things that an object may keep the one that it needs; both would make every object
    /// larger. An id can be made again.
    private enum Companion {
        case none
        case identifier(NSManagedObjectID)
        case batch(FaultBatch)
        /// For one that has left its context, which knew the store.
        case origin(StoreOrigin)
    }

    /// Creates an object of the entity and inserts it into the context.
    ///
    /// Called on `NSManagedObject` itself it makes an instance of the entity's own class, unless
    /// the context is passed as an optional variable. With a nil context the object belongs
    /// nowhere until `insert(_:)`. On the context's queue; no statements.
    @_disfavoredOverload
    // Keeps the arguments owned; else `keepCounts(of:_:)` would count up and a caller down.
    @_semantics("optimize.sil.specialize.owned2guarantee.never")
    public required init(
        // Not shared: a program's override takes its arguments as every initialiser does, and the
        // compiler does not translate between the two, so it would release them once too often.
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

    /// Refused: an object needs an entity. Use `init(context:)` or `init(entity:insertInto:)`.
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
        assert(!state.contains(.pending), "the state tells of values that are not there")
        let made = PendingValues(
            slotCount: layoutReference._withUnsafeGuaranteedRef { $0.values.count })
        pending = made
        state.insert(.pending)
        return made
    }

    /// Whether the object was one of a store before it left its context.
    final var hasHadRow: Bool {
        cells != nil || !state.isDisjoint(with: [.fault, .inaccessible])
    }

    /// Makes an object that has left its context a new one of its values: the row that it had is
    /// none of its own, and what it was linked to has let it go.
    final func forgetRow() {
        assert(registryReference == nil, "an object of a context keeps its row")
        let layout = layout
        for slot in layout.values.indices where !layout.isToOne(slot) {
            storePending(currentValue(at: slot), at: slot)
        }
        take(nil)
        state.subtract([.fault, .inaccessible, .deletedByMerge, .resurrected])
    }

    /// Frees the unsaved values. No handle on them may be used any more.
    final func dropPending() {
        guard let pending else { return }
        assert(brokenPendingValues() == nil, brokenPendingValues() ?? "")
        self.pending = nil
        state.remove(.pending)
        pending.deallocate()
    }

    // MARK: Parts that are kept as bare references

    package final var layout: EntityLayout { layoutReference.takeUnretainedValue() }

    /// The entity's numbers, which live as long as the program.
    @inline(__always)
    final var layoutReference: Unmanaged<EntityLayout> {
        // Safe: the initialiser has seen to it that the entity is frozen.
        entityReference._withUnsafeGuaranteedRef { $0.layoutReference.unsafelyUnwrapped }
    }

    /// The object's id, where it is kept.
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

    /// Whether the object's id can be made without a context.
    final var knowsStore: Bool {
        switch companion {
        case .identifier, .origin: true
        case .none, .batch: false
        }
    }

    /// Remembers the store, so that the id can be made once the object has left its context.
    final func keepOrigin(_ origin: StoreOrigin) {
        if !knowsStore { companion = .origin(origin) }
    }

    /// The batch that the object's row is to be read with.
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

    /// The identity map this object is registered in; nil without a context.
    final var registry: ObjectRegistry? {
        get { registryReference?.takeUnretainedValue() }
        set {
            let old = registryReference
            registryReference = newValue.map(Unmanaged.passRetained)
            old?.release()
        }
    }

    /// The block that the attached row is in.
    final var block: RowBlock? { cells.map { RowFormat.block($0).takeUnretainedValue() } }

    /// Gives the object a row together with a reference to the row's block, or takes it away.
    @inline(__always)
    final func take(_ row: UnsafeRawPointer?) {
        let old = cells
        cells = row
        if let old { RowFormat.block(old).release() }
    }

    /// Gives the object a row as ``take(_:)`` does, and the former row to the caller to release.
    @inline(__always)
    final func exchange(_ row: UnsafeRawPointer) -> UnsafeRawPointer? {
        let old = cells
        cells = row
        return old
    }

    /// What is known of relationships beside the first to-one destination. Setting it to nil
    /// forgets that one too.
    final var relationships: RelationshipStorage? {
        get { storage }
        set {
            storage = newValue
            guard newValue == nil, destinationSlot >= 0 else { return }
            destination = nil
            destinationSlot = -1
        }
    }

    /// Whether any relationship has been met or set since the object was a fault.
    final var knowsRelationships: Bool { storage != nil || destinationSlot >= 0 }

    /// The object that a to-one slot leads to, where it has been met.
    @inline(__always)
    final func knownDestination(_ slot: Int) -> NSManagedObject? {
        destinationSlot == Int32(truncatingIfNeeded: slot)
            ? destination : storage?.otherDestination(slot)
    }

    /// Looks at the object that a to-one slot leads to, where it has been met; retains nothing.
    @inline(__always)
    final func withKnownDestination<T>(_ slot: Int, _ body: (NSManagedObject) -> T) -> T? {
        guard let found = knownDestination(slot) else { return nil }
        return Unmanaged.passUnretained(found)._withUnsafeGuaranteedRef(body)
    }

    /// The members of a to-many relationship, as far as they are known.
    final func ensureMembers(_ slot: Int) -> ToManyMembers {
        if let found = storage?.members(slot) { return found }
        let storage = ensureRelationships()
        return layoutReference._withUnsafeGuaranteedRef { storage.makeMembers(slot, of: $0) }
    }

    /// Has a to-one slot's destination looked up again.
    final func forgetDestination(_ slot: Int) {
        if knownDestination(slot) != nil { setKnownDestination(slot, nil) }
    }

    /// Remembers the object that a to-one slot leads to.
    final func setKnownDestination(_ slot: Int, _ object: NSManagedObject?) {
        assert(
            layoutReference._withUnsafeGuaranteedRef { $0.isToOne(slot) },
            "only a to-one relationship has a destination")
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

    /// The context the object belongs to; nil after it was deleted and saved, or reset.
    public final var managedObjectContext: NSManagedObjectContext? { registry?.context }

    /// The object's id; temporary until the first save. Never fires a fault.
    public final var objectID: NSManagedObjectID {
        identifier(in: registry?.store(for: layout, key: key)?.origin)
    }

    /// The object's id, for callers who know the store that has its row.
    final func identifier(in origin: @autoclosure () -> StoreOrigin?) -> NSManagedObjectID {
        if let identifier { return identifier }
        var store: StoreOrigin?
        if case .origin(let kept) = companion { store = kept } else if key >= 0 { store = origin() }
        let made = NSManagedObjectID(key: objectKey, entity: entityReference, origin: store)
        if batch == nil { identifier = made }
        return made
    }

    /// Equality is identity, and so is the hash: one word that need not be mixed twice.
    public final override var hash: Int {
        Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())
    }

    package final var objectKey: ObjectKey {
        ObjectKey(entity: layoutReference._withUnsafeGuaranteedRef { $0.index }, key: key)
    }

    // MARK: State

    /// Whether the object will be written as a new row at the next save.
    public final var isInserted: Bool {
        tellLook(.isInserted)
        return state.contains(.inserted)
    }
    /// Whether the object has unsaved changes and is neither new nor deleted.
    public final var isUpdated: Bool {
        tellLook(.isUpdated)
        return state.contains(.updated) && state.isDisjoint(with: [.inserted, .deleted])
    }
    /// Whether the object will be deleted at the next save.
    public final var isDeleted: Bool {
        tellLook(.isDeleted)
        return state.contains(.deleted)
    }
    /// Whether the object's values have not been read yet. Never fires the fault.
    public final var isFault: Bool {
        tellLook(.isFault)
        return state.contains(.fault)
    }
    /// Zero when the object is realised.
    open var faultingState: Int { isFault ? 1 : 0 }
    /// Whether the object is new, changed or deleted since the last save; a property set to the
    /// value it had counts too.
    open var hasChanges: Bool {
        tellLook(.hasChanges)
        return !state.isDisjoint(with: .changed)
    }

    // MARK: Callbacks

    /// Called once, after insertion and defaults. Override it to set initial values.
    open func awakeFromInsert() {}

    /// Called whenever a fault has been fired. Changes made here leave no trace.
    open func awakeFromFetch() {}

    /// Called after several properties were reset at once.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

    /// Called when the object is about to be deleted, with its relationships still in place.
    open func prepareForDeletion() {}

    /// Called before a save, again whenever the object was changed meanwhile.
    open func willSave() {}

    /// Called after a save, also for deleted objects.
    open func didSave() {}

    /// Called before the object's values are dropped.
    open func willTurnIntoFault() {}

    /// Called after the object's values have been dropped.
    open func didTurnIntoFault() {}

    // MARK: Validation

    /// Checks the object as a new one; override it, call super first, and throw your own errors.
    ///
    /// - Throws: one error of 1550–1680, or 1560 with several of them.
    open func validateForInsert() throws {
        try bridgingErrors { () throws(CoreDataError) in
            try ObjectValidation.validateValues(self)
        }
    }

    /// Checks the object as a changed one; see ``validateForInsert()``.
    open func validateForUpdate() throws {
        try bridgingErrors { () throws(CoreDataError) in
            try ObjectValidation.validateValues(self)
        }
    }

    /// Checks whether the object may be deleted.
    ///
    /// - Throws: 1600 where a relationship with the deny rule leads to an object that stays.
    open func validateForDelete() throws {
        try bridgingErrors { () throws(CoreDataError) in
            try ObjectValidation.validateForDelete(self)
        }
    }

    /// Looks at a value before it is saved: throws to refuse it, or puts another in its place.
    public typealias PropertyValidator =
        @Sendable (_ object: NSManagedObject, _ value: inout Any?) throws -> Void

    /// The entity whose objects are instances of this class.
    ///
    /// Where several entities of the models in use name the class, the log says so, and the first
    /// of them is meant. Traps where there is none.
    open class func entity() -> NSEntityDescription { claimedEntity() }

    /// A request for all objects of this class's entity.
    ///
    /// The one of the same name that a class declares for its own type, as Xcode writes it, is
    /// preferred. Where no entity of the models in use names the class, the log says so, and the
    /// request has no entity.
    @_disfavoredOverload
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        claimedRequest()
    }

    /// The class's own checks of single properties, by property name.
    ///
    /// They stand for the `validate<Key>` methods that Apple's framework finds by their names, and
    /// run before the model's rules: at each save of the object, and in
    /// ``validateValue(_:forKey:)``. The table is asked for once, when a coordinator takes the
    /// model; a subclass adds its own to super's. Empty by default.
    open class var propertyValidators: [String: PropertyValidator] { [:] }

    /// The class's members that are reached by their names beside the properties of the model:
    /// computed properties, and `validate<Key>` methods.
    ///
    /// The list is asked for once, when a coordinator takes the model; a subclass adds its own to
    /// super's. Empty by default. The plugin `CoreDataSources` writes it.
    open class var keyedMembers: [KeyedMember] { [] }

    /// The class's name for Objective-C: that of `@objc(Name)`, else the one in Swift with its
    /// module.
    ///
    /// ``NSStringFromClass(_:)`` gives it. The plugin `CoreDataSources` writes it for classes with
    /// `@objc(Name)`.
    open class var objectiveCName: String { String(reflecting: self) }

    /// Whether ``didChangeValue(forKey:)`` of a property that the model does not have leaves the
    /// object as it is (the default), or makes it a changed one.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    /// The value slots of this class in the order its accessors number them.
    ///
    /// A class with accessors by slot states the property names here; they are compared with the
    /// entity once, when a coordinator takes the model, so that an accessor can never read a
    /// neighbour's value. Nil (the default) means that the class has no such accessors.
    open class var propertySlots: [String]? { nil }

    /// The to-many slots of this class, as ``propertySlots`` for values.
    open class var relationshipSlots: [String]? { nil }

    /// The object's entity, id and values; a fault is not fired.
    open override var description: String { text }

    open override var debugDescription: String { text }

    // MARK: Key-value coding

    /// The value of a property: numbers as `NSNumber`, a to-one destination as an object, to-many
    /// members as `NSSet` or `NSOrderedSet`. Fires faults.
    ///
    /// A key that neither the model nor ``keyedMembers`` has goes to ``value(forUndefinedKey:)``.
    @discardableResult
    open func value(forKey key: String) -> Any? { keyedValue(key) }

    /// Sets a property; relationships keep their inverse.
    ///
    /// A key that neither the model nor ``keyedMembers`` has goes to
    /// ``setValue(_:forUndefinedKey:)``, a nil that a member cannot have to
    /// ``setNilValueForKey(_:)``.
    open func setValue(_ value: Any?, forKey key: String) { setKeyedValue(value, key) }

    /// The value at the end of a path through relationships, with collection operators.
    @discardableResult
    open func value(forKeyPath keyPath: String) -> Any? { keyedValue(atPath: keyPath) }

    /// Sets the property at the end of a path through to-one relationships.
    open func setValue(_ value: Any?, forKeyPath keyPath: String) {
        setKeyedValue(value, atPath: keyPath)
    }

    /// Called by ``value(forKey:)`` for a key that is none. Override it to have more keys; this one
    /// traps.
    open func value(forUndefinedKey key: String) -> Any? {
        reading(key) { () throws(CoreDataError) in try readValue(forKey: key) }
    }

    /// Called by ``setValue(_:forKey:)`` for a key that is none. Override it to have more keys;
    /// this one traps.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        orTrap { () throws(CoreDataError) in try writeValue(value, forKey: key) }
    }

    /// Called by ``setValue(_:forKey:)`` with nil for a member of ``keyedMembers`` whose type has
    /// none. Override it to set another value; this one traps. Attributes of the model take nil.
    open func setNilValueForKey(_ key: String) {
        trap(
            CoreDataError(
                .invalidArgument,
                "[\(Swift.type(of: self)) setNilValueForKey]: could not set nil as the value for"
                    + " the key \(key)."))
    }

    /// Sets each property by ``setValue(_:forKey:)``; `NSNull` stands for nil.
    open func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues.sorted(by: { $0.key < $1.key }) {
            setValue(AttributeCoding.flattened(value), forKey: key)
        }
    }

    /// The values of the keys by ``value(forKey:)``, `NSNull` where there is none.
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { $1 })
    }

    /// The value of a property as the object has it; nil for a fault, which is not fired.
    ///
    /// Call ``willAccessValue(forKey:)`` first, as a hand-written accessor does, to have it read.
    @discardableResult
    open func primitiveValue(forKey key: String) -> Any? {
        orTrap { () throws(CoreDataError) in try readPrimitive(forKey: key) }
    }

    /// Sets a property without keeping inverses and without firing a fault; the object is dirty at
    /// its next change only.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) {
        orTrap { () throws(CoreDataError) in try writePrimitive(value, forKey: key) }
    }

    /// Fires the fault, as a hand-written accessor must before it reads a primitive value.
    open func willAccessValue(forKey key: String?) {
        let isUnread = state.contains(.fault)
        reading(key) { () throws(CoreDataError) in try prepareAccess() }
        if isUnread, isHeard { listener?.note(.fired(self)) }
    }

    /// Ends what ``willAccessValue(forKey:)`` began.
    open func didAccessValue(forKey key: String?) {}

    /// Notes that a hand-written accessor is about to change a property.
    open func willChangeValue(forKey key: String) {
        noteAccessorWillChange(key)
        if state.contains(.observed) { noticeWillChange(key) }
    }

    /// Notes that a hand-written accessor has changed a property: the object is now dirty, unless
    /// the property is not of the model; see ``contextShouldIgnoreUnmodeledPropertyChanges``.
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

    /// A live set of the members of the to-many relationship that a path ends with.
    ///
    /// Traps where a to-one relationship before it leads nowhere.
    open func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        let (owner, key) = owner(ofPath: keyPath)
        return owner.mutableSetValue(forKey: key)
    }

    /// A live ordered set of the members of the relationship that a path ends with; see
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

    /// The ids of a relationship's destinations; fires the object, not the destinations.
    open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        destinationIDs(key)
    }

    // MARK: Changes

    /// Changed persistent properties with their new values.
    open func changedValues() -> [String: Any] {
        tellLook(.changed)
        return unsavedValues()
    }

    /// Persistent properties changed since pending changes were last processed, with the values
    /// they had before.
    open func changedValuesForCurrentEvent() -> [String: Any] {
        if isHeard { listener?.note(.called("changedValuesForCurrentEvent()")) }
        return valuesBeforeEvent()
    }

    /// Last fetched or saved values; nil names all persistent properties. Fires the fault.
    open func committedValues(forKeys keys: [String]?) -> [String: Any] {
        let slots = layout.values.indices.filter {
            keys?.contains(layout.values[$0].name) ?? true
        }
        tellLook(.committed(slots))
        return savedValues(forKeys: keys)
    }

    /// Whether a persistent property differs from what was last fetched or saved; for a new
    /// object, from its default. A to-many relationship that has changed, and was refreshed before
    /// it was read, is read for the comparison.
    open var hasPersistentChangedValues: Bool {
        tellLook(.hasChanges)
        return SavePlanBuilder.changedSlots(of: self).slots.contains { isChanged($0) }
            || hasChangedMembers
    }

    // MARK: Observation and validation

    /// Notes that a to-many relationship is about to change: fires the fault.
    ///
    /// Observers of the key are told of the members that come or go: `union` is told as an
    /// insertion, `minus` and `intersect` as a removal, `set` as a replacement.
    open func willChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        noteAccessorWillChange(inKey)
        if state.contains(.observed) { noticeWillChange(inKey, inMutationKind, inObjects) }
    }

    /// Notes that a to-many relationship has changed: the object is now dirty.
    open func didChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        noteAccessorDidChange(inKey)
    }

    /// Notes that a hand-written accessor is about to change an ordered relationship at places.
    open func willChange(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
    ) {
        noteAccessorWillChange(key)
        if state.contains(.observed) { noticeWillChange(key, changeKind, at: indexes) }
    }

    /// Notes that a hand-written accessor has changed an ordered relationship at places.
    open func didChange(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
    ) {
        noteAccessorDidChange(key)
    }

    /// The key paths whose changes are changes of a key, as observers of it are to be told.
    ///
    /// A subclass adds its own to super's. This one gives what ``keyedMembers`` list for the key.
    /// Paths lead through to-one relationships.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        listedDependencies(of: key)
    }

    /// Whether key-value coding tells of a change of the key by itself: not for properties of the
    /// model, whose accessors do.
    open class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
        isUnmodelled(key)
    }

    /// Always nil: who observes keys is kept elsewhere.
    open func observationInfo() -> UnsafeMutableRawPointer? { nil }

    /// Keeps nothing, and tells the log once.
    open func setObservationInfo(_ inObservationInfo: UnsafeMutableRawPointer?) {
        if inObservationInfo == nil { return }
        EngineLog.errorOnce(
            "an object keeps no observationInfo on this platform; its keys are observed all the"
                + " same.")
    }

    /// Checks one value as a save would, before it is set; a check of ``propertyValidators`` may
    /// put another in its place.
    ///
    /// - Throws: the first error of 1550–1680 for the value, or what the class's own check throws;
    ///   `unknownKey` for no property.
    open func validateValue(_ value: inout Any?, forKey key: String) throws {
        let given = value
        value = try bridgingErrors { () throws(CoreDataError) in
            try ObjectValidation.validate(given, forKey: key, of: self)
        }
    }

    /// Checks one value for the property that a path through to-one relationships ends with.
    ///
    /// - Throws: as ``validateValue(_:forKey:)``; nothing where the path leads nowhere.
    open func validateValue(_ value: inout Any?, forKeyPath keyPath: String) throws {
        let (owner, key) = try bridgingErrors { () throws(CoreDataError) in
            try end(ofPath: keyPath)
        }
        try owner?.validateValue(&value, forKey: key)
    }
}

// Unavailable, because an object may be touched on its context's queue alone.
@available(*, unavailable, message: "Managed objects belong to one context; pass their objectID.")
extension NSManagedObject: @unchecked Sendable {}

/// Initialisers that stand beside those of the class.
///
/// Swift's class initialisers cannot return another class; a protocol's can assign `self`. And a
/// subclass may write a convenience initialiser of the same name without `override`.
public protocol ManagedObjectCreation {}

extension ManagedObjectCreation where Self: NSManagedObject {
    /// Creates an object of this class's entity in the context.
    ///
    /// Traps when no entity of the context's model names this class, as for the base class. A
    /// subclass may have a `convenience init(context:)` of its own, which is then meant wherever
    /// the class is named; generic code that knows the base class alone means this one.
    public init(context moc: NSManagedObjectContext) {
        let entity = orTrap { () throws(CoreDataError) in try moc.entity(forClass: Self.self) }
        let context: NSManagedObjectContext? = moc
        self.init(entity: entity, insertInto: context)
    }

    /// Creates an object of the entity's own class and inserts it into the context.
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext) {
        self = Materialization.object(of: entity, in: context, as: Self.self)
    }

    /// Creates an object of the entity's own class that belongs to no context yet.
    public init(entity: NSEntityDescription, insertInto context: NoContext) {
        self = Materialization.object(of: entity, in: nil, as: Self.self)
    }
}

/// The type of a literal `nil` in place of a context.
public struct NoContext: ExpressibleByNilLiteral {
    /// Stands for a context that is not there.
    public init(nilLiteral: ()) {}
}

/// Makes instances of the classes that a model names.
enum Materialization {
    /// Given to the initialiser in place of a context when the object's values exist already.
    static let marker = NSManagedObjectContext(marker: ())
    private static let markerAddress = UInt(
        bitPattern: Unmanaged.passUnretained(marker).toOpaque())

    /// Whether an initialiser was given the marker.
    @inline(__always)
    static func isMarker(_ context: borrowing NSManagedObjectContext?) -> Bool {
        unsafeBitCast(context, to: UInt.self) == markerAddress
    }

    /// Freezes an entity whose model no coordinator has taken yet.
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
        // Safe: the class is T or one of its subclasses, by the line above.
        return unsafeDowncast(made, to: T.self)
    }

    /// A fault without a row: no defaults, no insertion.
    ///
    /// An initialiser releases its arguments. Entity and marker are shared by all threads, which
    /// would wait for each other's counts at every object of a fetch; so neither is retained
    /// here, and ``keepCounts(of:_:)`` makes up for the release.
    @inline(__always)
    static func fault(
        of objectClass: NSManagedObject.Type, entity: Unmanaged<NSEntityDescription>,
        marker: Unmanaged<NSManagedObjectContext>
    ) -> NSManagedObject {
        // Optional, or the initialiser that looks for the entity's class would be meant; consumed,
        // or the compiler would pass a copy and count one up and down after all.
        let context: NSManagedObjectContext? = marker.takeRetainedValue()
        let made = objectClass.init(
            entity: entity.takeRetainedValue(), insertInto: consume context)
        if !made.state.contains(.fault) || made.entityReference.toOpaque() != entity.toOpaque() {
            // A program's initialiser has passed something else on, and released these.
            _ = entity.retain()
            _ = marker.retain()
        }
        return made
    }

    /// Has the initialiser's release of its arguments count for nothing.
    @inline(__always)
    static func keepCounts(
        of entity: consuming NSEntityDescription, _ marker: consuming NSManagedObjectContext?
    ) {
        _ = Unmanaged.passRetained(entity)
        _ = marker.map(Unmanaged.passRetained)
    }
}
