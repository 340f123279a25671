import ContextHistory
import CoreDataEngine
import CoreDataStore
import LabScenario
import Synchronization

/// A context of a world for one schedule, with the names that its sessions have bound.
final class LabContext {
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
    var lists: [String: WatchedList] = [:]
    /// The conflicts that made the last save fail, for steps that read them.
    var conflicts: [String] = []
    /// The last merged transaction in the store's history; nil if none exists.
    var mergedHistory: Int64?
    /// New objects that were deleted, if a quirk makes the next save fail because of them.
    var deletedUnsaved: [NSManagedObject] = []
    /// Runs blocks inside the context's notifications. `waited` has the number of runs of each
    /// block.
    var observer: WaitingObserver?
    var waited: [String: Int] = [:]
    /// Called when the writes of the current save are complete. An observer of the save may call it
    /// early.
    var endSave: (() -> Void)?
    private let mail = Mutex(Mail())
    /// The name of the merge policy, which a step may change.
    var policyName: String
    /// Whether the context merges automatically, which a step may change.
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
        /// The saves that no `merge` step has taken yet, by the index of the saving context.
        var unmerged: [Int: [Posted]] = [:]
        /// The save that a `merge` step took last, by the index of the saving context.
        var lastMerged: [Int: Posted] = [:]
    }

    /// Records a save of another context, which a `merge` step may take.
    func hear(_ posted: Posted) {
        mail.withLock { $0.unmerged[posted.saver, default: []].append(posted) }
    }

    /// Returns the save that a `merge` step merges now; nil if none exists.
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

    /// Objects with unsaved changes, in an order that is the same in every run.
    func changed(_ objects: Set<NSManagedObject>) -> [NSManagedObject] {
        objects.sorted { left, right in
            let (one, other) = (left.objectKey, right.objectKey)
            if one.entity != other.entity { return one.entity < other.entity }
            // Temporary keys are assigned in descending order.
            if one.isTemporary != other.isTemporary { return other.isTemporary }
            return one.isTemporary ? one.key > other.key : one.key < other.key
        }
    }
}

/// A queue of the lab. It holds enqueued work until the lab runs the work.
protocol LabQueue: ConfinementQueue {
    /// Runs the oldest merge, or the oldest other work, on the queue. Does nothing if the queue has
    /// no such work. The schedule determines whether the merge or the other work runs first.
    func runOldest(isMerge: Bool)
}

extension SteppedQueue: LabQueue {
    func runOldest(isMerge: Bool) {
        let wanted = pending.first { PendingWork.isMerge($0.label) == isMerge }
        if let wanted { run(wanted.number) }
    }
}

/// The engine's labels for the work on a context's queue.
enum PendingWork {
    static func isMerge(_ label: String) -> Bool { label.hasPrefix("merge from ") }
}
