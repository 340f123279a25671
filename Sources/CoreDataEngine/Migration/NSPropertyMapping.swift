import CoreDataPredicate

/// How one property of a destination object gets its value.
///
/// Used by one thread at a time; a mapping at work must not be changed.
public final class NSPropertyMapping: NSObject {
    /// The property's name in the destination entity.
    public var name: String?
    /// What gives the value; it may use the variables that the `NSMigration…Key` constants name.
    public var valueExpression: NSExpression?
    /// Anything the mapping's author wants to note.
    public var userInfo: [AnyHashable: Any]?

    /// Makes a mapping without name and expression.
    public override init() { super.init() }
}
