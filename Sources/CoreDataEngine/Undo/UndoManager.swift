import CoreDataStore
import Foundation

/// Remembers how to take actions back, in groups, and how to do them again.
///
/// The type of Apple's Foundation, which Linux has not; see
/// <https://developer.apple.com/documentation/foundation/undomanager>. A manager belongs to the
/// thread or queue that uses it, as the context does that it is given to.
///
/// There is no run loop here whose turns are events. With ``groupsByEvent`` the group that was
/// opened by itself is closed where a block of `perform` of a context with this manager ends,
/// where such a context's `processPendingChanges()` is called, and by ``undo()``.
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

    /// Whether a group is opened by itself, for everything that one event registers; true.
    open var groupsByEvent = true

    /// How many groups are kept; zero, the default, for all. The oldest are dropped.
    open var levelsOfUndo = 0 {
        didSet { dropOldest() }
    }

    // MARK: Groups

    /// How many groups are open.
    open var groupingLevel: Int { open?.level ?? 0 }

    /// Opens a group: what is registered until its end is undone together.
    open func beginUndoGrouping() {
        if open != nil { post(.NSUndoManagerCheckpoint) }
        if open == nil, groupsByEvent, activity == .none { openGroup(isForEvent: true) }
        openGroup(isForEvent: false)
    }

    /// Closes the group that was opened last; one without actions is dropped.
    ///
    /// Traps where none is open.
    open func endUndoGrouping() {
        orTrap { () throws(CoreDataError) in try closeGroup() }
    }

    /// Ends what belongs to the running event.
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
        // Contexts register what has changed so far.
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
        assert(undoStack.last?.actions.isEmpty != true, "a group without actions is not kept")
        assert(redoStack.last?.actions.isEmpty != true, "a group without actions is not kept")
    }

    // MARK: Registering

    /// Whether actions are taken.
    open var isUndoRegistrationEnabled: Bool { disablings == 0 }

    /// Takes no actions until ``enableUndoRegistration()`` was called as often.
    open func disableUndoRegistration() { disablings += 1 }

    /// Ends one ``disableUndoRegistration()``; traps where there was none.
    open func enableUndoRegistration() {
        guard disablings > 0 else {
            trap(
                CoreDataError(
                    .invalidArgument,
                    "enableUndoRegistration() was called without disableUndoRegistration()."))
        }
        disablings -= 1
    }

    /// Registers how to take an action back; while something is undone, how to do it again.
    ///
    /// Traps where no group is open and ``groupsByEvent`` is false.
    ///
    /// - Parameters:
    ///   - target: what the action is about; it is not kept alive.
    ///   - handler: takes the action back; what it keeps is kept until the action is dropped.
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
        // Safe: the call hands over the target that it was made with.
        let call = UndoCall(target: target) { (found) throws(CoreDataError) in
            try body(unsafeDowncast(found, to: Target.self))
        }
        open?.append(.call(call))
        if activity == .none { redoStack = [] }
    }

    /// Fails where there is no group and none would be opened.
    final func checkGroup() throws(CoreDataError) {
        guard isUndoRegistrationEnabled, open == nil, !groupsByEvent || activity != .none else {
            return
        }
        throw CoreDataError(
            .invalidArgument,
            "Must begin a group before registering undo: groupsByEvent is false. Call"
                + " beginUndoGrouping() before the change.")
    }

    /// Drops all actions and takes new ones again. Open groups stay open.
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

    /// Whether there are actions to undo; groups may have to be closed first.
    open var canUndo: Bool { !undoStack.isEmpty || open.map { !$0.isEmptyAll } ?? false }

    /// Whether there are actions to do again.
    open var canRedo: Bool {
        post(.NSUndoManagerCheckpoint)
        return !redoStack.isEmpty
    }

    /// Whether an action is being undone.
    open var isUndoing: Bool { activity == .undoing }

    /// Whether an action is being done again.
    open var isRedoing: Bool { activity == .redoing }

    /// Closes the group of the top level if it is open, and undoes the newest group.
    ///
    /// Traps where more than one group is open.
    open func undo() {
        orTrap { () throws(CoreDataError) in try undoLast() }
    }

    /// Undoes the group that was closed last, also where it is in an open one.
    open func undoNestedGroup() {
        orTrap { () throws(CoreDataError) in try undoLastNested() }
    }

    /// Does again what was undone last; nothing where something else was registered since.
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
            .invalidArgument, "\(verb)() was called while an action is undone or done again.")
    }

    /// What the actions register makes up one group of the other stack.
    private func run(_ group: UndoGroup, as kind: Activity) throws(CoreDataError) {
        assert(activity == .none && kind != .none, "one action at a time is taken back")
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

    /// The group that a name given now is for.
    final var describedGroup: UndoGroup? { open?.outermost ?? undoStack.last }
    /// What ``undo()`` would undo.
    final var nextUndo: UndoGroup? {
        if let open, activity == .none, !open.outermost.isEmptyAll { return open.outermost }
        return undoStack.last
    }
    /// What ``redo()`` would do again.
    final var nextRedo: UndoGroup? { redoStack.last }
    final var undoGroupCount: Int { undoStack.count }
    final var redoGroupCount: Int { redoStack.count }

    private func post(_ name: Notification.Name) {
        NotificationCenter.default.post(name: name, object: self)
    }
}

extension UndoGroup {
    /// Whether neither this group nor one that it is in has an action.
    fileprivate var isEmptyAll: Bool { actions.isEmpty && (parent?.isEmptyAll ?? true) }
}
