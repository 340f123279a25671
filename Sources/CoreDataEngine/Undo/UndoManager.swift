import CoreDataStore
import Foundation

/// Records how to undo actions, in groups, and how to redo them.
///
/// This class replaces the class of Apple's Foundation, which does not exist on Linux; see
/// <https://developer.apple.com/documentation/foundation/undomanager>. A manager belongs to one
/// thread or queue, like its context.
///
/// On Linux, no run loop ends an event. So ``undo()`` closes the group of ``groupsByEvent``.
/// Contexts with this manager also close it, at the end of each `perform` block and in
/// `processPendingChanges()`.
open class UndoManager: NSObject {
    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    private var open: UndoGroup?
    private var disablings = 0
    private var activity = Activity.none

    private enum Activity {
        case none
        case undoing
        case redoing
    }

    /// Creates a manager without actions.
    public override init() { super.init() }

    // MARK: Settings

    /// Whether a group is opened automatically for all actions of one event; true by default.
    open var groupsByEvent = true

    /// The maximum number of groups; zero, the default, for no limit. The oldest are dropped.
    open var levelsOfUndo = 0 {
        didSet { dropOldest() }
    }

    // MARK: Groups

    /// The number of open groups.
    open var groupingLevel: Int { open?.level ?? 0 }

    /// Opens a group: all actions until its end are undone together.
    open func beginUndoGrouping() {
        if open != nil { post(.NSUndoManagerCheckpoint) }
        if open == nil, groupsByEvent, activity == .none { openGroup(isForEvent: true) }
        openGroup(isForEvent: false)
    }

    /// Closes the group that was opened last; a group without actions is dropped.
    ///
    /// Traps if no group is open.
    open func endUndoGrouping() {
        orTrap { () throws(CoreDataError) in try closeGroup() }
    }

    package final func endEvent() throws(CoreDataError) {
        if activity == .none, open?.isForEvent == true { try closeGroup() }
    }

    private func openGroup(isForEvent: Bool) {
        open = UndoGroup(parent: open, isForEvent: isForEvent)
        post(.NSUndoManagerDidOpenUndoGroup)
    }

    package final func closeGroup() throws(CoreDataError) {
        guard open != nil else {
            throw CoreDataError(
                .invalidArgument,
                "endUndoGrouping() was called without a group. Call beginUndoGrouping() first.")
        }
        // Contexts that observe this notification register the changes that were made so far.
        post(.NSUndoManagerCheckpoint)
        guard let group = open else { return }
        post(.NSUndoManagerWillCloseUndoGroup)
        open = group.parent
        if !group.actions.isEmpty {
            if let parent = group.parent {
                parent.append(.group(group))
            } else if activity == .undoing {
                redoStack.append(group)
            } else {
                undoStack.append(group)
                dropOldest()
            }
        }
        post(.NSUndoManagerDidCloseUndoGroup)
    }

    private func dropOldest() {
        if levelsOfUndo > 0, undoStack.count > levelsOfUndo {
            undoStack.removeFirst(undoStack.count - levelsOfUndo)
        }
        if levelsOfUndo > 0, redoStack.count > levelsOfUndo {
            redoStack.removeFirst(redoStack.count - levelsOfUndo)
        }
        assert(undoStack.last?.actions.isEmpty != true, "an empty group was not dropped")
        assert(redoStack.last?.actions.isEmpty != true, "an empty group was not dropped")
    }

    // MARK: Registering

    /// Whether actions are recorded.
    open var isUndoRegistrationEnabled: Bool { disablings == 0 }

    /// Stops recording until ``enableUndoRegistration()`` has been called once for each call of
    /// this method.
    open func disableUndoRegistration() { disablings += 1 }

    /// Reverts one call of ``disableUndoRegistration()``; traps if registration is not disabled.
    open func enableUndoRegistration() {
        guard disablings > 0 else {
            trap(
                CoreDataError(
                    .invalidArgument,
                    "enableUndoRegistration() was called without disableUndoRegistration()."))
        }
        disablings -= 1
    }

    /// Registers how to undo an action; during an undo, how to redo it.
    ///
    /// Traps if no group is open and ``groupsByEvent`` is false.
    ///
    /// - Parameters:
    ///   - target: the object of the action; it is not kept alive.
    ///   - handler: undoes the action; its captures are kept alive until the action is dropped.
    public final func registerUndo<TargetType: AnyObject>(
        withTarget target: TargetType, handler: @escaping (TargetType) -> Void
    ) {
        orTrap { () throws(CoreDataError) in
            try register(target) { (target) throws(CoreDataError) in handler(target) }
        }
    }

    package final func register<Target: AnyObject>(
        _ target: Target, _ body: @escaping (Target) throws(CoreDataError) -> Void
    ) throws(CoreDataError) {
        guard isUndoRegistrationEnabled else { return }
        try checkGroup()
        if open == nil { openGroup(isForEvent: true) }
        // Safe: the call always passes the target with which it was created.
        let call = UndoCall(target: target) { (found) throws(CoreDataError) in
            try body(unsafeDowncast(found, to: Target.self))
        }
        open?.append(.call(call))
        if activity == .none { redoStack = [] }
    }

    /// Throws an error if no group is open and none would be opened automatically.
    final func checkGroup() throws(CoreDataError) {
        guard isUndoRegistrationEnabled, open == nil, !groupsByEvent || activity != .none else {
            return
        }
        throw CoreDataError(
            .invalidArgument,
            "Must begin a group before registering undo: groupsByEvent is false. Call"
                + " beginUndoGrouping() before the change.")
    }

    /// Drops all actions and enables registration again. Open groups stay open.
    open func removeAllActions() {
        undoStack = []
        redoStack = []
        disablings = 0
        var group = open
        while let current = group {
            current.removeAll()
            group = current.parent
        }
    }

    /// Drops the actions with the target.
    open func removeAllActions(withTarget target: Any) {
        // Only an object can be a target.
        let id = ObjectIdentifier(target as AnyObject)
        var group = open
        while let current = group {
            current.removeAll(of: id)
            group = current.parent
        }
        for stack in [\UndoManager.undoStack, \.redoStack] {
            for group in self[keyPath: stack] { group.removeAll(of: id) }
            self[keyPath: stack].removeAll { $0.actions.isEmpty }
        }
    }

    // MARK: Undoing

    /// Whether actions can be undone; groups may have to be closed first.
    open var canUndo: Bool { !undoStack.isEmpty || open.map { !$0.isEmptyAll } ?? false }

    /// Whether actions can be redone.
    open var canRedo: Bool {
        post(.NSUndoManagerCheckpoint)
        return !redoStack.isEmpty
    }

    /// Whether an action is being undone.
    open var isUndoing: Bool { activity == .undoing }

    /// Whether an action is being redone.
    open var isRedoing: Bool { activity == .redoing }

    /// Closes the open top-level group, if there is one, and undoes the newest group.
    ///
    /// Traps if more than one group is open.
    open func undo() {
        orTrap { () throws(CoreDataError) in try undoLast() }
    }

    /// Undoes the group that was closed last, even if a group is open.
    open func undoNestedGroup() {
        orTrap { () throws(CoreDataError) in try undoLastNested() }
    }

    /// Redoes the action that was undone last; does nothing if another action was registered since.
    open func redo() {
        orTrap { () throws(CoreDataError) in try redoLast() }
    }

    package final func undoLast() throws(CoreDataError) {
        post(.NSUndoManagerCheckpoint)
        if groupingLevel == 1 { try closeGroup() }
        guard groupingLevel == 0 else {
            throw CoreDataError(
                .invalidArgument,
                "undo() was called with \(groupingLevel) open groups. Call endUndoGrouping() for"
                    + " each beginUndoGrouping() first.")
        }
        try undoLastNested()
    }

    package final func undoLastNested() throws(CoreDataError) {
        try checkIdle("undo")
        guard let group = open?.takeLastGroup() ?? (open == nil ? undoStack.popLast() : nil) else {
            return
        }
        post(.NSUndoManagerWillUndoChange)
        try run(group, as: .undoing)
        post(.NSUndoManagerDidUndoChange)
    }

    package final func redoLast() throws(CoreDataError) {
        try checkIdle("redo")
        post(.NSUndoManagerCheckpoint)
        guard let group = redoStack.popLast() else { return }
        post(.NSUndoManagerWillRedoChange)
        try run(group, as: .redoing)
        post(.NSUndoManagerDidRedoChange)
    }

    private func checkIdle(_ verb: String) throws(CoreDataError) {
        if activity == .none { return }
        throw CoreDataError(
            .invalidArgument, "\(verb)() was called while an action is undone or redone.")
    }

    /// Runs a group. The actions that are registered meanwhile form one group of the other stack.
    private func run(_ group: UndoGroup, as kind: Activity) throws(CoreDataError) {
        assert(activity == .none && kind != .none, "another action is being undone or redone")
        let outer = open
        let counter = UndoGroup(parent: nil)
        counter.name = group.name
        counter.isDiscardable = group.isDiscardable
        counter.userInfo = group.userInfo
        open = counter
        activity = kind
        defer {
            while open != nil, open !== counter { open = open?.parent }
            open = outer
            activity = .none
        }
        try group.run()
        while let current = open, current !== counter { try closeGroup() }
        post(.NSUndoManagerCheckpoint)
        guard !counter.actions.isEmpty else { return }
        if kind == .undoing { redoStack.append(counter) } else { undoStack.append(counter) }
        dropOldest()
    }

    // MARK: Parts used by the extensions

    /// The group to which a new action name applies.
    final var describedGroup: UndoGroup? { open?.outermost ?? undoStack.last }
    final var nextUndo: UndoGroup? {
        if let open, activity == .none, !open.outermost.isEmptyAll { return open.outermost }
        return undoStack.last
    }
    final var nextRedo: UndoGroup? { redoStack.last }
    final var undoGroupCount: Int { undoStack.count }
    final var redoGroupCount: Int { redoStack.count }

    private func post(_ name: Notification.Name) {
        NotificationCenter.default.post(name: name, object: self)
    }
}

extension UndoGroup {
    fileprivate var isEmptyAll: Bool { actions.isEmpty && (parent?.isEmptyAll ?? true) }
}
