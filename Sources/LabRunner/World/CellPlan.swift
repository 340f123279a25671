import CoreDataEngine
import CoreDataStore
import LabScenario
import LabSchedule

/// A scenario in one cell of its matrix. Every setting has a value, and the lanes (sessions and
/// mailboxes) have numbers. It is created once for a cell, and worlds read it in every schedule.
struct CellPlan {
    struct Context {
        let name: String
        let type: NSManagedObjectContextConcurrencyType
        /// The index of the parent in the list of contexts; nil if the parent is a coordinator.
        let parent: Int?
        let coordinator: String
        let policy: NSMergePolicy
        let policyName: String
        let automerge: Bool
        /// The indexes of the contexts whose saves an observer merges into this context.
        let mergesFrom: [Int]
        /// Blocks that an observer enqueues when this context saves.
        let onSave: [String]
        /// Blocks that an observer runs inside the notification and waits for.
        let waitsOnSave: [String]
        let waitsOnChange: [String]
        let undo: Bool
        let deletesInaccessible: Bool
    }

    /// The mailboxes for merges and blocks that wait, in the order of the schedule plan's
    /// mailboxes.
    enum Mailbox: Equatable {
        /// The queue of a context: automatic merges and enqueued blocks, first in, first out.
        case queue(Int)
        /// The saves of one context that an observer merges into another context.
        case observer(from: Int, to: Int)
    }

    static let mainCoordinator = "main"

    let scenario: Scenario
    let cell: MatrixCell
    let contexts: [Context]
    let sessionContexts: [Int]
    let mailboxes: [Mailbox]
    /// The plan to explore. In baton mode its lanes are threads, otherwise sessions and mailboxes.
    let schedulePlan: SchedulePlan
    let stepPlan: SchedulePlan
    let policies: PolicyRegistry
    /// The misbehaviour of Core Data that the scenario reproduces.
    let quirk: Quirk
    /// The pieces of each session. A piece is a step, or several steps that run together. Schedules
    /// choose the order of pieces.
    let pieces: [[[Step]]]
    let readsConflicts: Bool
    let tracksHistory: Bool

    init(scenario: Scenario, cell: MatrixCell, policies: PolicyRegistry) {
        self.scenario = scenario
        self.cell = cell
        self.policies = policies
        let specs = scenario.contexts(in: cell)
        let names = specs.map(\.name.value)
        func position(_ name: String) -> Int { names.firstIndex(of: name) ?? 0 }
        let quirk = scenario.quirk.resolved(in: cell) { Quirk(rawValue: $0) ?? .none }
        self.quirk = quirk
        pieces = scenario.sessions.map { Self.pieces(of: $0, atomic: scenario.atomic) }
        contexts = specs.map { spec in
            Self.context(spec, cell: cell, policies: policies, quirk: quirk, names: names)
        }
        let steps = scenario.sessions.flatMap(\.steps) + scenario.blocks.map(\.step)
        readsConflicts = steps.flatMap(\.statements).contains {
            if case .look(.conflicts) = $0.action { true } else { false }
        }
        tracksHistory = scenario.usesHistory
        sessionContexts = scenario.sessions.map { position($0.context.value) }
        mailboxes = Self.mailboxes(scenario, contexts, position)
        stepPlan = Self.schedulePlan(scenario, pieces, contexts, sessionContexts, mailboxes)
        schedulePlan = scenario.mode == .baton ? Self.batonPlan(stepPlan) : stepPlan
    }

    /// A plan with a lane for each thread. The next operation of a thread is unknown until the
    /// thread pauses.
    private static func batonPlan(_ steps: SchedulePlan) -> SchedulePlan {
        let names = steps.lanes.map(\.name) + steps.mailboxes.map { "~\($0.name)" }
        var plan = SchedulePlan(lanes: [], mailboxes: names.map { .init(name: $0, causes: []) })
        plan.isOpen = true
        return plan
    }

    private static func pieces(
        of session: SessionSpec, atomic: [Located<[String]>]
    ) -> [[Step]] {
        var pieces: [[Step]] = []
        for step in session.steps {
            let isGlued = atomic.contains { glued in
                glued.value.dropFirst().contains(step.name.value)
            }
            if isGlued, !pieces.isEmpty {
                pieces[pieces.count - 1].append(step)
            } else {
                pieces.append([step])
            }
        }
        return pieces
    }

    func position(of context: String) -> Int {
        contexts.firstIndex { $0.name == context } ?? 0
    }

    private static func context(
        _ spec: ContextSpec, cell: MatrixCell, policies: PolicyRegistry, quirk: Quirk,
        names: [String]
    ) -> Context {
        let policy = spec.policy.resolved(in: cell) { Located(PolicyName($0)) }.value
        let parent = spec.parent?.resolved(in: cell) { Located($0) }.value
        return Context(
            name: spec.name.value,
            type: spec.queue.resolved(in: cell) { ContextSpec.Queue(rawValue: $0) ?? .private }
                == .main ? .mainQueueConcurrencyType : .privateQueueConcurrencyType,
            parent: parent == nil || parent == "store"
                ? nil : parent.map { names.firstIndex(of: $0) ?? 0 },
            coordinator: spec.coordinator?.value ?? mainCoordinator,
            policy: Self.policy(policy, policies, quirk), policyName: policy.description,
            automerge: spec.automerge.resolved(in: cell) { $0 == "true" },
            mergesFrom: spec.mergesFrom.compactMap { source in
                names.firstIndex(of: source.resolved(in: cell) { Located($0) }.value)
            },
            onSave: spec.onSave.map(\.value), waitsOnSave: spec.waitsOnSave.map(\.value),
            waitsOnChange: spec.waitsOnChange.map(\.value),
            undo: spec.undo.resolved(in: cell) { $0 == "true" },
            deletesInaccessible: quirk != .deletedRowsRaise)
    }

    func policy(_ name: PolicyName) -> NSMergePolicy { Self.policy(name, policies, quirk) }

    private static func policy(
        _ name: PolicyName, _ policies: PolicyRegistry, _ quirk: Quirk
    ) -> NSMergePolicy {
        let policy = policies.policy(name) ?? .error
        return quirk == .losersDangle ? DanglingLosersPolicy(policy) : policy
    }

    private static func mailboxes(
        _ scenario: Scenario, _ contexts: [Context], _ position: (String) -> Int
    ) -> [Mailbox] {
        var mailboxes: [Mailbox] = []
        let targets = Set(scenario.blocks.map { position($0.context.value) })
        let switches = Set(scenario.sessions.filter(\.switchesAutomerge).map(\.context.value))
        for (index, context) in contexts.enumerated() {
            let mayMerge = context.automerge || switches.contains(context.name)
            if mayMerge || targets.contains(index) { mailboxes.append(.queue(index)) }
            mailboxes += context.mergesFrom.map { .observer(from: $0, to: index) }
        }
        return mailboxes
    }

    /// Whether a context's automatic merging receives the saves of another context.
    static func hears(_ listener: Int, _ saver: Int, _ contexts: [Context]) -> Bool {
        guard listener != saver, contexts[listener].automerge else { return false }
        if let parent = contexts[listener].parent { return parent == saver }
        return contexts[saver].parent == nil
            && contexts[saver].coordinator == contexts[listener].coordinator
    }

    private static func schedulePlan(
        _ scenario: Scenario, _ pieces: [[[Step]]], _ contexts: [Context],
        _ sessionContexts: [Int], _ mailboxes: [Mailbox]
    ) -> SchedulePlan {
        let lanes = zip(scenario.sessions, pieces).map { session, pieces in
            SchedulePlan.Lane(name: session.name.value, steps: pieces.map { $0[0].name.value })
        }
        let orders = scenario.after.compactMap { after -> SchedulePlan.Order? in
            guard case .step(let required) = after.requires,
                let step = place(of: after.step.value, pieces),
                let other = place(of: required.value, pieces)
            else { return nil }
            return .init(
                lane: step.lane, position: step.position, requiredLane: other.lane,
                requiredPosition: other.position)
        }
        let sources = DeliverySources(
            scenario: scenario, pieces: pieces, contexts: contexts,
            sessionContexts: sessionContexts, mailboxes: mailboxes)
        let deliveryOrders = scenario.after.compactMap { after -> SchedulePlan.DeliveryOrder? in
            guard case .delivery(let required) = after.requires,
                let step = place(of: after.step.value, pieces)
            else { return nil }
            return .init(
                lane: step.lane, position: step.position, delivery: required.value.description,
                number: required.value.number, source: sources.source(of: required.value.kind))
        }
        let boxes = mailboxes.map { mailbox in
            let name = name(of: mailbox, contexts)
            return SchedulePlan.Mailbox(
                name: name, causes: causes(of: mailbox, scenario, pieces, contexts, sessionContexts)
            )
        }
        return SchedulePlan(
            lanes: lanes, orders: orders, deliveryOrders: deliveryOrders, mailboxes: boxes)
    }

    private static func place(
        of step: String, _ pieces: [[[Step]]]
    ) -> (lane: Int, position: Int)? {
        for (lane, pieces) in pieces.enumerated() {
            let position = pieces.firstIndex { $0.contains { $0.name.value == step } }
            if let position { return (lane, position) }
        }
        return nil
    }

    private static func name(of mailbox: Mailbox, _ contexts: [Context]) -> String {
        switch mailbox {
        case .queue(let context): contexts[context].name
        case .observer(let source, let target): "\(contexts[source].name)→\(contexts[target].name)"
        }
    }

    /// The steps that put deliveries into a mailbox, with one entry for each delivery.
    private static func causes(
        of mailbox: Mailbox, _ scenario: Scenario, _ pieces: [[[Step]]], _ contexts: [Context],
        _ sessionContexts: [Int]
    ) -> [(lane: Int, position: Int)] {
        var causes: [(lane: Int, position: Int)] = []
        for (lane, pieces) in pieces.enumerated() {
            for (position, steps) in pieces.enumerated() {
                for statement in steps.flatMap(\.statements) {
                    let count = count(
                        of: statement.action, in: mailbox, by: sessionContexts[lane], scenario,
                        contexts)
                    causes += Array(repeating: (lane, position), count: count)
                }
            }
        }
        return causes
    }

    /// The number of deliveries that a statement puts into a mailbox if it succeeds.
    private static func count(
        of action: Action, in mailbox: Mailbox, by saver: Int, _ scenario: Scenario,
        _ contexts: [Context]
    ) -> Int {
        func isOn(_ block: String, _ context: Int) -> Bool {
            let block = scenario.blocks.first { $0.name.value == block }
            return block?.context.value == contexts[context].name
        }
        switch (action, mailbox) {
        case (.context(.save(let form)), .queue(let listener)):
            return savers(saver, form, contexts).reduce(0) { count, saver in
                count + (hears(listener, saver, contexts) ? 1 : 0)
                    + contexts[saver].onSave.count { isOn($0, listener) }
            }
        case (.context(.save(let form)), .observer(let source, _)):
            return savers(saver, form, contexts).contains(source) ? 1 : 0
        case (.stack(.enqueue(let name)), .queue(let context)):
            return isOn(name.value, context) ? 1 : 0
        default: return 0
        }
    }
}

extension SessionSpec {
    var switchesAutomerge: Bool {
        steps.flatMap(\.statements).contains { statement in
            if case .setting(.automerge) = statement.action { return true }
            return false
        }
    }
}

extension CellPlan {
    static func savers(_ saver: Int, _ form: SaveForm, _ contexts: [Context]) -> [Int] {
        var savers = [saver]
        while form.isChain, let last = savers.last, let parent = contexts[last].parent {
            savers.append(parent)
        }
        return savers
    }

    var countsCosts: Bool {
        scenario.observations.contains { observation in
            if case .cost = observation.source { return true }
            return false
        }
    }
}

extension Setting {
    func resolved(in cell: MatrixCell, _ convert: (String) -> Value) -> Value {
        switch self {
        case .value(let value): value
        case .parameter(let name): convert(cell[name.value]?.text ?? "")
        }
    }
}
