import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// What an event does to a list of results: the new list, and the difference in four parts.
///
/// Made by `ResultsTracker`. An object that fits where it stands stays there; one that does not
/// is moved, and as few as possible are.
struct ResultsChange {
    /// An object, and its places in the whole lists: nil where it does not stand.
    struct Move {
        let object: NSManagedObject
        let old: Int?
        let new: Int?
    }

    let old: ResultsList
    let new: ResultsList
    /// In the order of the old list.
    private(set) var deleted: ContiguousArray<Move> = []
    /// In the order of the new list, as the following ones.
    private(set) var inserted: ContiguousArray<Move> = []
    private(set) var moved: ContiguousArray<Move> = []
    private(set) var updated: ContiguousArray<Move> = []

    var isEmpty: Bool {
        deleted.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
    }

    /// - Throws: a section that comes twice, and values without an order.
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
            "every object is told of once")
        assert(inserted.count == event.added.count, "an object came that stands nowhere")
    }

    /// - Parameter member: the place in the old list, for what stood there.
    private mutating func note(
        _ object: NSManagedObject, _ fate: ResultsEvent.Fate, _ member: Int, _ place: Int
    ) {
        switch fate {
        case .comes: inserted.append(Move(object: object, old: nil, new: place))
        case .moves: moved.append(Move(object: object, old: member, new: place))
        case .changes:
            // A new object is reported once, however often it changes until it is saved.
            if object.state.contains(.inserted) { return }
            updated.append(Move(object: object, old: member, new: place))
        case .stays, .leaves: assertionFailure("stands in the new list, untold or gone")
        }
    }
}
