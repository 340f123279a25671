import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// The effect of an event on a list of results: the new list, and the difference in four parts.
///
/// `ResultsTracker` creates it. An object that is still in order keeps its position, and as few
/// objects as possible are moved.
struct ResultsChange {
    /// An object and its positions in the old and the new list. A position is nil if the list does
    /// not contain the object.
    struct Move {
        let object: NSManagedObject
        let old: Int?
        let new: Int?
    }

    let old: ResultsList
    let new: ResultsList
    /// The deletions, in the order of the old list.
    private(set) var deleted: ContiguousArray<Move> = []
    /// The insertions, in the order of the new list. The following changes have the same order.
    private(set) var inserted: ContiguousArray<Move> = []
    private(set) var moved: ContiguousArray<Move> = []
    private(set) var updated: ContiguousArray<Move> = []

    var isEmpty: Bool {
        deleted.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
    }

    /// - Throws: an error for a section that occurs twice, and for values without an order.
    init(_ event: ResultsEvent, to old: ResultsList, in scope: ResultsScope) throws {
        var arrangement = ResultsArrangement(event, scope, old)
        let members = try arrangement.arrange()
        self.old = old
        new = try arrangement.list(of: members)
        let fates = arrangement.event.fates
        for (place, object) in old.objects.enumerated() where fates[place] == .leaves {
            deleted.append(Move(object: object, old: place, new: nil))
        }
        for (place, member) in members.enumerated() where fates[member] != .stays {
            note(new.objects[place], fates[member], member, place)
        }
        assert(
            new.objects.count == old.objects.count - deleted.count + inserted.count,
            "the numbers of insertions and deletions do not explain the new results")
        assert(inserted.count == event.added.count, "an added object has no position")
    }

    /// - Parameter member: the position in the old list, if that list contained the object.
    private mutating func note(
        _ object: NSManagedObject, _ fate: ResultsEvent.Fate, _ member: Int, _ place: Int
    ) {
        switch fate {
        case .comes: inserted.append(Move(object: object, old: nil, new: place))
        case .moves: moved.append(Move(object: object, old: member, new: place))
        case .changes:
            // A new object is reported only as inserted. Updates before its first save are not
            // reported.
            if object.state.contains(.inserted) { return }
            updated.append(Move(object: object, old: member, new: place))
        case .stays, .leaves: assertionFailure("the object was not changed or was removed")
        }
    }
}
