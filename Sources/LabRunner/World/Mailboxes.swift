import ContextHistory
import CoreDataEngine
import CoreDataStore
import LabScenario
import LabSchedule

/// Receives saves and blocks: mailboxes that a schedule empties, or real queues.
protocol Deliveries: AnyObject {
    func post(_ posted: LabContext.Posted, by saver: LabContext, in world: LabWorld)

    func enqueue(_ block: String, in world: LabWorld)
}

/// The merges and blocks that wait for contexts until the schedule chooses them. A world puts items
/// into the mailboxes, and the lanes of the schedule take them out.
final class Mailboxes: Deliveries {
    /// A waiting merge or block, with the name of its step.
    enum Item {
        case merge(LabContext.Posted, name: String)
        case block(Int, name: String)

        var name: String {
            switch self {
            case .merge(_, let name), .block(_, let name): name
            }
        }
    }

    private let plan: CellPlan
    /// The items in each mailbox, oldest first.
    private var waiting: [[Item]] = []
    /// The number of items with each name so far, which distinguishes items of the same name.
    private var numbers: [String: Int] = [:]
    /// The number of items that were put into each mailbox and taken from it in this schedule.
    private var posted: [Int] = []
    private var taken: [Int] = []

    init(_ plan: CellPlan) { self.plan = plan }

    func reset() {
        waiting = Array(repeating: [], count: plan.mailboxes.count)
        posted = Array(repeating: 0, count: plan.mailboxes.count)
        taken = posted
        numbers = [:]
    }

    func count(in mailbox: Int) -> Int { waiting[mailbox].count }

    func names(in mailbox: Int) -> [String] { waiting[mailbox].map(\.name) }

    func take(from mailbox: Int, in world: LabWorld) -> Item {
        let item = waiting[mailbox].removeFirst()
        taken[mailbox] += 1
        world.footprints?.touch(.mail(mailbox: mailbox, number: taken[mailbox]), .require)
        return item
    }

    /// Records that the oldest item must run after the step that put the item into the mailbox.
    func touchOldest(in mailbox: Int, of world: LabWorld) {
        world.footprints?.touch(.mail(mailbox: mailbox, number: taken[mailbox] + 1), .require)
    }

    // MARK: Deliveries

    func post(_ posted: LabContext.Posted, by saver: LabContext, in world: LabWorld) {
        let isObservedFirst = plan.quirk == .mergesAfterObservers
        if isObservedFirst { notifyObservers(of: saver, in: world) }
        for (index, mailbox) in plan.mailboxes.enumerated() {
            switch mailbox {
            case .queue(let target) where world.hears(target, saver.index):
                put(.merge(posted, name: mergeName(saver.index, target)), into: index, in: world)
            case .observer(saver.index, let target):
                put(.merge(posted, name: mergeName(saver.index, target)), into: index, in: world)
            default: break
            }
        }
        for context in world.contexts where context !== saver {
            context.hear(posted)
            world.footprints?.touch(.unmerged(target: context.index, saver: saver.index), .write)
        }
        if !isObservedFirst { notifyObservers(of: saver, in: world) }
    }

    private func notifyObservers(of saver: LabContext, in world: LabWorld) {
        for block in saver.plan.onSave { observe(block, in: world) }
    }

    /// Called by an observer of a save. Enqueues the block, unless the limit is reached.
    private func observe(_ block: String, in world: LabWorld) {
        if numbers[block] ?? 0 < LabWorld.observationMax { return enqueue(block, in: world) }
        world.recorder.record(.looped(block: block, times: LabWorld.observationMax))
    }

    func enqueue(_ block: String, in world: LabWorld) {
        guard let index = plan.scenario.blocks.firstIndex(where: { $0.name.value == block })
        else { return }
        let target = plan.position(of: plan.scenario.blocks[index].context.value)
        guard let mailbox = plan.mailboxes.firstIndex(of: .queue(target)) else { return }
        // The queue receives an empty block, which only reserves the position. The statements run
        // when the schedule chooses the lane.
        world.contexts[target].queue.enqueue(block) {}
        put(.block(index, name: numbered(block, .block(block))), into: mailbox, in: world)
        world.recorder.record(.enqueued(block: block, on: world.contexts[target].plan.name))
    }

    private func put(_ item: Item, into mailbox: Int, in world: LabWorld) {
        waiting[mailbox].append(item)
        posted[mailbox] += 1
        world.footprints?.touch(.mailbox(mailbox), .write)
        world.footprints?.touch(.mail(mailbox: mailbox, number: posted[mailbox]), .provide)
    }

    private func mergeName(_ source: Int, _ target: Int) -> String {
        let (source, target) = (plan.contexts[source].name, plan.contexts[target].name)
        return numbered("\(source)→\(target)", .merge(from: source, into: target))
    }

    private func numbered(_ key: String, _ kind: DeliveryName.Kind) -> String {
        let number = (numbers[key] ?? 0) + 1
        numbers[key] = number
        return DeliveryName(kind, number: number).description
    }
}
