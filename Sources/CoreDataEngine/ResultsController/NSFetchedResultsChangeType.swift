/// What has happened to an object or a section of a results controller.
public enum NSFetchedResultsChangeType: UInt, Sendable {
    /// It came in.
    case insert = 1
    /// It went out.
    case delete = 2
    /// The object stands elsewhere; its values have changed too.
    case move = 3
    /// The object's values have changed, its place has not.
    case update = 4
}
