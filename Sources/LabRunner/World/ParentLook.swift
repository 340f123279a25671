import CoreDataStore
import LabCheck

/// What a parent had of the objects that its child saves, and what it had then. In baton mode
/// another child may save between the beginning of a save and its turn in the parent, so the rows
/// are read again there.
final class ParentLook {
    typealias Rows = [ObjectKey: Row]

    private let read: () -> Rows?
    /// The rows right before the save put its values there.
    private(set) var before: Rows
    /// The rows right after it; nil where nobody has looked.
    private(set) var after: Rows?

    init(before: Rows, read: @escaping () -> Rows?) {
        self.before = before
        self.read = read
    }

    func look(isDone: Bool) {
        guard let rows = read() else { return }
        if isDone { after = rows } else { before = rows }
    }
}
