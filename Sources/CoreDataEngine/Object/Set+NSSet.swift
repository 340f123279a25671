import Foundation

extension Set where Element: NSManagedObject {
    /// Converts the members of a relationship from `NSSet`; nil if a member has another class.
    public init?(_ set: NSSet) {
        var members: Set<Element> = []
        for member in set {
            guard let member = member as? Element else { return nil }
            members.insert(member)
        }
        self = members
    }
}
