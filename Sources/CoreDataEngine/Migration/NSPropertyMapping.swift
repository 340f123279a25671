import CoreDataPredicate

/// How one property of a destination object gets its value.
///
/// Used by one thread at a time; a mapping at work must not be changed.
open class NSPropertyMapping: NSObject {
    /// The property's name in the destination entity.
    open var name: String?
    /// What gives the value; it may use the variables that the `NSMigration…Key` constants name.
    open var valueExpression: NSExpression?
    /// Anything the mapping's author wants to note.
    open var userInfo: [AnyHashable: Any]?

    /// Makes a mapping without name and expression.
    public override init() { super.init() }

    /// Whether the other gives the same property the same value.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyMapping else { return false }
        return name == other.name && valueExpression == other.valueExpression
    }

    open override var hash: Int { name?.hashValue ?? 0 }
}
