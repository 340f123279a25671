import CoreData

// This class overrides every open member. Each override records the call and calls super.

final class EveryObject: NSManagedObject {
    override class var objectiveCName: String {
        note()
        return super.objectiveCName
    }
    override var faultingState: Int {
        note()
        return super.faultingState
    }
    override var hasChanges: Bool {
        note()
        return super.hasChanges
    }
    override class func entity() -> NSEntityDescription {
        note()
        return super.entity()
    }
    override class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        note()
        return super.fetchRequest()
    }
    override func awakeFromInsert() {
        note()
        super.awakeFromInsert()
    }
    override func awakeFromFetch() {
        note()
        super.awakeFromFetch()
    }
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        note()
        super.awake(fromSnapshotEvents: flags)
    }
    override func prepareForDeletion() {
        note()
        super.prepareForDeletion()
    }
    override func willSave() {
        note()
        super.willSave()
    }
    override func didSave() {
        note()
        super.didSave()
    }
    override func willTurnIntoFault() {
        note()
        super.willTurnIntoFault()
    }
    override func didTurnIntoFault() {
        note()
        super.didTurnIntoFault()
    }
    override func validateForInsert() throws {
        note()
        try super.validateForInsert()
    }
    override func validateForUpdate() throws {
        note()
        try super.validateForUpdate()
    }
    override func validateForDelete() throws {
        note()
        try super.validateForDelete()
    }
    override class var propertyValidators: [String: NSManagedObject.PropertyValidator] {
        note()
        return super.propertyValidators
    }
    override class var keyedMembers: [KeyedMember] {
        note()
        return super.keyedMembers
    }
    override class var contextShouldIgnoreUnmodeledPropertyChanges: Bool {
        note()
        return super.contextShouldIgnoreUnmodeledPropertyChanges
    }
    override class var propertySlots: [String]? {
        note()
        return super.propertySlots
    }
    override class var relationshipSlots: [String]? {
        note()
        return super.relationshipSlots
    }
    override var description: String {
        note()
        return super.description
    }
    override var debugDescription: String {
        note()
        return super.debugDescription
    }
    override func value(forKey key: String) -> Any? {
        note()
        return super.value(forKey: key)
    }
    override func setValue(_ value: Any?, forKey key: String) {
        note()
        super.setValue(value, forKey: key)
    }
    override func value(forKeyPath keyPath: String) -> Any? {
        note()
        return super.value(forKeyPath: keyPath)
    }
    override func setValue(_ value: Any?, forKeyPath keyPath: String) {
        note()
        super.setValue(value, forKeyPath: keyPath)
    }
    override func value(forUndefinedKey key: String) -> Any? {
        note()
        return super.value(forUndefinedKey: key)
    }
    override func setValue(_ value: Any?, forUndefinedKey key: String) {
        note()
        super.setValue(value, forUndefinedKey: key)
    }
    override func setNilValueForKey(_ key: String) {
        note()
        super.setNilValueForKey(key)
    }
    override func setValuesForKeys(_ keyedValues: [String: Any]) {
        note()
        super.setValuesForKeys(keyedValues)
    }
    override func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        note()
        return super.dictionaryWithValues(forKeys: keys)
    }
    override func primitiveValue(forKey key: String) -> Any? {
        note()
        return super.primitiveValue(forKey: key)
    }
    override func setPrimitiveValue(_ value: Any?, forKey key: String) {
        note()
        super.setPrimitiveValue(value, forKey: key)
    }
    override func willAccessValue(forKey key: String?) {
        note()
        super.willAccessValue(forKey: key)
    }
    override func didAccessValue(forKey key: String?) {
        note()
        super.didAccessValue(forKey: key)
    }
    override func willChangeValue(forKey key: String) {
        note()
        super.willChangeValue(forKey: key)
    }
    override func didChangeValue(forKey key: String) {
        note()
        super.didChangeValue(forKey: key)
    }
    override func mutableSetValue(forKey key: String) -> NSMutableSet {
        note()
        return super.mutableSetValue(forKey: key)
    }
    override func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        note()
        return super.mutableOrderedSetValue(forKey: key)
    }
    override func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        note()
        return super.mutableSetValue(forKeyPath: keyPath)
    }
    override func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        note()
        return super.mutableOrderedSetValue(forKeyPath: keyPath)
    }
    override func hasFault(forRelationshipNamed key: String) -> Bool {
        note()
        return super.hasFault(forRelationshipNamed: key)
    }
    override func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        note()
        return super.objectIDs(forRelationshipNamed: key)
    }
    override func changedValues() -> [String: Any] {
        note()
        return super.changedValues()
    }
    override func changedValuesForCurrentEvent() -> [String: Any] {
        note()
        return super.changedValuesForCurrentEvent()
    }
    override func committedValues(forKeys keys: [String]?) -> [String: Any] {
        note()
        return super.committedValues(forKeys: keys)
    }
    override var hasPersistentChangedValues: Bool {
        note()
        return super.hasPersistentChangedValues
    }
    override func willChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        note()
        super.willChangeValue(forKey: inKey, withSetMutation: inMutationKind, using: inObjects)
    }
    override func didChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        note()
        super.didChangeValue(forKey: inKey, withSetMutation: inMutationKind, using: inObjects)
    }
    override func willChange(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
    ) {
        note()
        super.willChange(changeKind, valuesAt: indexes, forKey: key)
    }
    override func didChange(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
    ) {
        note()
        super.didChange(changeKind, valuesAt: indexes, forKey: key)
    }
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        note()
        return super.keyPathsForValuesAffectingValue(forKey: key)
    }
    override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
        note()
        return super.automaticallyNotifiesObservers(forKey: key)
    }
    override func observationInfo() -> UnsafeMutableRawPointer? {
        note()
        return super.observationInfo()
    }
    override func setObservationInfo(_ inObservationInfo: UnsafeMutableRawPointer?) {
        note()
        super.setObservationInfo(inObservationInfo)
    }
    override func validateValue(_ value: inout Any?, forKey key: String) throws {
        note()
        try super.validateValue(&value, forKey: key)
    }
    override func validateValue(_ value: inout Any?, forKeyPath keyPath: String) throws {
        note()
        try super.validateValue(&value, forKeyPath: keyPath)
    }
}
