import CoreDataEngine

extension ContextLook {
    /// The name of the property in a `state` statement.
    var word: String {
        switch self {
        case .hasChanges: "has-changes"
        case .inserted: "inserted"
        case .updated: "updated"
        case .deleted: "deleted"
        case .registered: "registered"
        case .isPinned: "is-pinned"
        }
    }
}
