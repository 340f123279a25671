import ContextHistory
import CoreDataStore

/// The rows that a parent holds for the objects of a child's save, before and after the save. In
/// baton mode another child may save before this save reaches the parent. The rows before the save
/// are then read again.
final class ParentLook {
    typealias Rows = [ObjectKey: Row]

    private let read: () -> Rows?
    private(set) var before: Rows
    /// The parent's rows just after the save; nil if they were not read.
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
