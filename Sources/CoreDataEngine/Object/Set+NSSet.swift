import Foundation

extension Set where Element: NSManagedObject {
    /// The members of a relationship, as `NSSet` has them; nil where one is of another class.
    public init?(_ set: NSSet) {
        var members: Set<Element> = []
        for member in set {
            guard let member = member as? Element else { return nil }
            members.insert(member)
        }
        self = members
    }
}
