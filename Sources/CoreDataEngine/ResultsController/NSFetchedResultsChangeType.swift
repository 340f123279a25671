/// The kind of a change to an object or a section of a results controller.
public enum NSFetchedResultsChangeType: UInt, Sendable {
    /// The object or section was added.
    case insert = 1
    /// The object or section was removed.
    case delete = 2
    /// The object has another position; its values have changed, too.
    case move = 3
    /// The object's values have changed, but not its position.
    case update = 4
}
