import CoreDataStore

/// A group of actions that are undone together, with its name and user info.
///
/// An `UndoManager` creates and owns it. A closed group is an action of the group that contains it.
final class UndoGroup {
    enum Action {
        case call(UndoCall)
        case group(UndoGroup)
    }

    let parent: UndoGroup?
    private(set) var actions: [Action] = []
    /// Whether the manager has opened the group itself, for the current event.
    let isForEvent: Bool
    var name = ""
    var isDiscardable = false
    var userInfo: [UndoManager.UserInfoKey: Any] = [:]

    init(parent: UndoGroup?, isForEvent: Bool = false) {
        self.parent = parent
        self.isForEvent = isForEvent
    }

    var level: Int { (parent?.level ?? 0) + 1 }

    var outermost: UndoGroup { parent?.outermost ?? self }

    func append(_ action: Action) {
        if case .group(let group) = action {
            assert(group.parent === self, "the closed group has another parent")
        }
        actions.append(action)
    }

    /// Removes and returns the group that was closed last, if no later action exists.
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

    func run() throws(CoreDataError) {
        for action in actions.reversed() {
            switch action {
            case .call(let call): try call.run()
            case .group(let group): try group.run()
            }
        }
    }
}

/// One registered action. Its target is held weakly. If the target has been freed, the action does
/// nothing.
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
