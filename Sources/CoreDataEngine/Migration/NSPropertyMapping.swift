import CoreDataPredicate

/// Describes how one property of a destination object gets its value.
///
/// Only one thread may use a mapping at a time. It must not be changed while a migration runs.
open class NSPropertyMapping: NSObject {
    /// The property's name in the destination entity.
    open var name: String?
    /// The expression for the value; it may use the variables that the `NSMigration…Key` constants
    /// name.
    open var valueExpression: NSExpression?
    /// Additional information.
    open var userInfo: [AnyHashable: Any]?

    /// Creates a mapping without name and expression.
    public override init() { super.init() }

    /// Whether the other mapping maps the same property by an equal expression.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyMapping else { return false }
        return name == other.name && valueExpression == other.valueExpression
    }

    open override var hash: Int { name?.hashValue ?? 0 }
}
