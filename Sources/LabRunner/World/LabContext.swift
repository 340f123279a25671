import CoreDataEngine
import CoreDataStore
import LabCheck
import LabScenario
import Synchronization

/// One context of a world, for one schedule, with what its sessions have bound.
final class LabContext {
    /// What a name stands for in a context.
    enum Binding {
        case object(NSManagedObject)
        case objects([NSManagedObject])
        case value(ObservedValue, WriteBasis)
    }

    /// A save that another context may merge.
    struct Posted: Sendable {
        let saver: Int
        let step: String
        let keys: SavedKeys
    }

    let index: Int
    let plan: CellPlan.Context
    let context: NSManagedObjectContext
    let queue: any LabQueue
    let bindings = Bindings()
    var named = NamedSlots()
    /// Results controllers by their names.
    var lists: [String: WatchedList] = [:]
    /// What kept the last save from succeeding, for those who look.
    var conflicts: [String] = []
    /// The last save in the store's history that it has merged; nil where that is none.
    var mergedHistory: Int64?
    /// New objects that were deleted, where a quirk has the next save fail for them.
    var deletedUnsaved: [NSManagedObject] = []
    /// What runs blocks inside the context's notifications, and how often each of them ran.
    var observer: WaitingObserver?
    var waited: [String: Int] = [:]
    /// Notes the save under way as done; an observer inside it runs it early.
    var endSave: (() -> Void)?
    private let mail = Mutex(Mail())
    /// The merge policy's name; a step may set another one.
    var policyName: String
    /// Whether it merges by itself; a step may switch it.
    var automerge: Bool

    init(
        index: Int, plan: CellPlan.Context, coordinator: NSPersistentStoreCoordinator,
        parent: LabContext?, queue: any LabQueue
    ) throws(CoreDataError) {
        self.index = index
        self.plan = plan
        policyName = plan.policyName
        automerge = plan.automerge
        self.queue = queue
        context = NSManagedObjectContext(concurrencyType: plan.type, queue: queue)
        context.name = plan.name
        if let parent {
            try context.attach(toParent: parent.context)
        } else {
            try context.attach(to: coordinator)
        }
        context.mergePolicy = plan.policy
        if plan.undo { context.undoManager = UndoManager() }
        context.shouldDeleteInaccessibleFaults = plan.deletesInaccessible
        if plan.automerge { context.automaticallyMergesChangesFromParent = true }
    }

    private struct Mail {
        /// Did-saves that a `merge` step has not taken yet, by the saver's position.
        var unmerged: [Int: [Posted]] = [:]
        /// The did-save that a `merge` step has taken last, by the saver's position.
        var lastMerged: [Int: Posted] = [:]
    }

    /// Another context has saved, and a `merge` step may take it.
    func hear(_ posted: Posted) {
        mail.withLock { $0.unmerged[posted.saver, default: []].append(posted) }
    }

    /// The save that a `merge` step merges now; nil where there is none.
    func take(_ choice: MergeChoice, of saver: Int) -> Posted? {
        mail.withLock { mail in
            let posted: Posted?
            switch choice {
            case .again: return mail.lastMerged[saver]
            case .newest: posted = mail.unmerged[saver]?.popLast()
            case .next, .all:
                posted = mail.unmerged[saver]?.first
                if posted != nil { mail.unmerged[saver]?.removeFirst() }
            }
            if let posted { mail.lastMerged[saver] = posted }
            return posted
        }
    }

    /// Objects with unsaved changes; the order is the same in every run.
    func changed(_ objects: Set<NSManagedObject>) -> [NSManagedObject] {
        objects.sorted { left, right in
            let (one, other) = (left.objectKey, right.objectKey)
            if one.entity != other.entity { return one.entity < other.entity }
            // Temporary keys go down as they are given out.
            if one.isTemporary != other.isTemporary { return other.isTemporary }
            return one.isTemporary ? one.key > other.key : one.key < other.key
        }
    }
}

/// A queue of the lab's: it keeps what is enqueued until the lab runs it.
protocol LabQueue: ConfinementQueue {
    /// Runs the oldest pending merge, or the oldest other work, as the queue's; nothing where there
    /// is none. Of the two the schedule knows which is first.
    func runOldest(isMerge: Bool)
}

extension SteppedQueue: LabQueue {
    func runOldest(isMerge: Bool) {
        let wanted = pending.first { PendingWork.isMerge($0.label) == isMerge }
        if let wanted { run(wanted.number) }
    }
}

/// What the engine calls the work that it puts on a context's queue.
enum PendingWork {
    static func isMerge(_ label: String) -> Bool { label.hasPrefix("merge from ") }
}
