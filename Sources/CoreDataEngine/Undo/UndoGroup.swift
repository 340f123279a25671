import CoreDataStore

/// The actions that are undone together, and what is said about them.
///
/// Made and owned by an `UndoManager`; a group that was closed inside another is one of that
/// group's actions.
final class UndoGroup {
    enum Action {
        case call(UndoCall)
        case group(UndoGroup)
    }

    let parent: UndoGroup?
    private(set) var actions: [Action] = []
    /// Opened by the manager itself, for the running event.
    let isForEvent: Bool
    var name = ""
    var isDiscardable = false
    var userInfo: [UndoManager.UserInfoKey: Any] = [:]

    init(parent: UndoGroup?, isForEvent: Bool = false) {
        self.parent = parent
        self.isForEvent = isForEvent
    }

    /// How many groups are open with this one.
    var level: Int { (parent?.level ?? 0) + 1 }

    /// The group of the top level that this one is in.
    var outermost: UndoGroup { parent?.outermost ?? self }

    func append(_ action: Action) {
        if case .group(let group) = action {
            assert(group.parent === self, "a group ends in the one that it was opened in")
        }
        actions.append(action)
    }

    /// Takes the group out that was closed last, where it is the newest action.
    func takeLastGroup() -> UndoGroup? {
        guard case .group(let group) = actions.last else { return nil }
        actions.removeLast()
        return group
    }

    func removeAll() { actions = [] }

    func removeAll(of target: ObjectIdentifier) {
        actions.removeAll { action in
            switch action {
            case .call(let call): return call.targetID == target
            case .group(let group):
                group.removeAll(of: target)
                return group.actions.isEmpty
            }
        }
    }

    /// Runs the actions, the newest first.
    func run() throws(CoreDataError) {
        for action in actions.reversed() {
            switch action {
            case .call(let call): try call.run()
            case .group(let group): try group.run()
            }
        }
    }
}

/// One registered action. Its target is not kept alive; without the target it does nothing.
struct UndoCall {
    let targetID: ObjectIdentifier
    private weak var target: AnyObject?
    private let body: (AnyObject) throws(CoreDataError) -> Void

    init(target: AnyObject, body: @escaping (AnyObject) throws(CoreDataError) -> Void) {
        targetID = ObjectIdentifier(target)
        self.target = target
        self.body = body
    }

    func run() throws(CoreDataError) {
        if let target { try body(target) }
    }
}
