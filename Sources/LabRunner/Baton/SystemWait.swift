import Glibc
import Synchronization

/// A lock, semaphore or condition of the operating system for which a thread of a schedule waits.
///
/// The lab reads the state and the holder of the object from the system's own memory, because
/// threads that the lab did not create, and code that is compiled into the program, also take the
/// object.
struct SystemWait {
    let resource: Baton.Resource
    /// Whether code of the program, and not of a library, takes the object. Foreign threads also
    /// take the objects of libraries, so for such an object only a wait counts as a use, and a
    /// successful attempt to take it does not.
    let isOwn: Bool
    /// The operation during which the thread waits.
    let frame: String
    /// Whether the object is a lock: one thread holds it until the same thread releases it.
    let isLock: Bool
    /// Whether a thread that takes the object becomes its holder, as for a lock.
    let hasHolder: Bool
    /// Whether any other thread can end the wait.
    let isSignalled: Bool
    /// Whether a thread may go on as if it held the object when the schedule is over.
    let mayPretend: Bool
    /// The moment at which the wait times out, by the schedule's clock.
    let due: Duration?
    /// Takes the object if no wait is necessary.
    let take: () -> Bool
    let isFree: () -> Bool
    /// The system's number of the thread that holds the object; 0 if it is unknown.
    let holder: () -> Int32

    enum Ending {
        /// The thread holds the awaited object.
        case taken
        /// The time-out comes first, or the thread only tries and the object is not free.
        case late
        /// The thread goes on as if it held the object, because the schedule is over.
        case pretended
        /// The system must wait: the schedule was given up, or a foreign thread holds the object.
        case released
    }
}

extension Baton {
    /// The maximum number of attempts to take a lock whose holder is not known yet.
    private static let spinsMax = 3_000
    /// The number of attempts after each of which the thread yields its core; after further
    /// attempts it sleeps.
    private static let yieldsMax = 1_000

    /// Takes an object of the operating system after all other holders have released it.
    ///
    /// - Parameters:
    ///   - pausesFirst: whether the schedule may choose another thread although the object is free.
    ///   - isTry: whether the thread only tries, without a wait.
    func take(_ wait: SystemWait, pausesFirst: Bool, isTry: Bool) -> SystemWait.Ending {
        // Safe: the caller holds the baton.
        let runner = current!
        let next = "\(runner.frames.first ?? runner.name)^\(wait.resource.word)"
        if pausesFirst { pause(next: next) }
        if isReleased.load(ordering: .relaxed) { return .released }
        if wait.isLock, !isCollapsed, wait.resource.holder !== runner {
            takings += runner.held.map { .init($0, wait.resource, runner, wait.frame) }
        }
        if wait.isOwn, !isCollapsed { onUse(wait.resource, .contends) }
        var spins = 0
        while !wait.take() {
            if isTry { return .late }
            let holder = wait.holder()
            // A foreign thread continues without a turn, so the operating system's own wait ends.
            if isForeign(holder) { return .released }
            // A foreign thread is about to note that it holds the lock, or to release the lock.
            if holder == 0, wait.hasHolder, spins < Self.spinsMax {
                spins += 1
                // On a busy machine the foreign thread may wait long for a core.
                if spins < Self.yieldsMax { sched_yield() } else { usleep(500) }
                continue
            }
            if !wait.isOwn, !isCollapsed { onUse(wait.resource, .contends) }
            let ending = sleep(runner, wait, next: next)
            if ending != .taken { return ending }
        }
        if wait.isLock { noteTaken(wait.resource, by: runner) }
        return .taken
    }

    /// Records that the thread with the baton holds a resource for which it did not wait here.
    func hold(_ resource: Resource) {
        guard let runner = current else { return }
        noteTaken(resource, by: runner)
    }

    /// Records that the holder of a resource no longer holds it.
    func letGo(of resource: Resource) {
        resource.holder?.held.removeAll { $0 === resource }
        resource.holder = nil
    }

    /// Records that the thread with the baton asks for a resource in addition to those that it
    /// holds.
    func noteOrder(of resource: Resource) {
        guard let runner = current, !isCollapsed, resource.holder !== runner else { return }
        takings += runner.held.map { .init($0, resource, runner, "asks for \(resource.name)") }
    }

    private func noteTaken(_ resource: Resource, by runner: Runner) {
        if resource.holder === runner {
            resource.depth += 1
            return
        }
        resource.holder = runner
        resource.depth = 1
        runner.held.append(resource)
    }

    /// Waits until the schedule chooses the thread again.
    ///
    /// - Returns: `taken` if the thread must try again.
    private func sleep(_ runner: Runner, _ wait: SystemWait, next: String) -> SystemWait.Ending {
        runner.state = .waiting(wait.resource)
        runner.systemWait = wait
        runner.frames.append(wait.frame)
        defer {
            runner.systemWait = nil
            if !runner.frames.isEmpty { runner.frames.removeLast() }
        }
        let awaited = wait.resource.releases + 1
        if !isCollapsed, wait.isSignalled, expectsForeign(wait) {
            runner.state = .ready
            return .taken
        }
        if isCollapsed {
            giveBack(runner)
        } else {
            onWait(runner, wait.resource)
            if let cycle = cycle(from: runner) { deadlocks.append(Deadlock(cycle)) }
            pause(next: next)
        }
        runner.state = .ready
        if isReleased.load(ordering: .relaxed) { return .released }
        if !isCollapsed { onUse(wait.resource, .contends) }
        if runner.isForced {
            runner.isForced = false
            return wait.due == nil ? .pretended : .late
        }
        if isCollapsed { return .taken }
        if wait.resource.releases >= awaited {
            onUse(wait.resource, .takesOver(awaited))
        } else if wait.isSignalled, wait.isFree() {
            onForeign(wait)
        }
        return .taken
    }

    /// Records that the thread with the baton is about to release a lock of the system.
    func noteGivenBack(_ resource: Resource) {
        guard let runner = current, resource.holder === runner else { return }
        resource.depth -= 1
        guard resource.depth == 0 else { return }
        noteSignal(resource)
        resource.holder = nil
        runner.held.removeAll { $0 === resource }
    }

    /// Records that the threads that wait for a resource may go on.
    func noteSignal(_ resource: Resource) {
        resource.releases += 1
        if isCollapsed { return }
        onUse(resource, .contends)
        onUse(resource, .handsOver(resource.releases))
    }

    /// Whether a thread waits for a resource.
    func isAwaited(_ resource: Resource) -> Bool {
        runners.contains { runner in
            if case .waiting(let awaited) = runner.state { awaited === resource } else { false }
        }
    }

    /// The thread for which a thread waits; nil if the thread does not wait, or if the other thread
    /// is unknown.
    func holder(inWayOf runner: Runner) -> Runner? {
        guard case .waiting(let resource) = runner.state else { return nil }
        guard let wait = runner.systemWait else { return resource.blocker() ?? resource.holder }
        let number = wait.holder()
        return number == 0 || wait.isFree() ? nil : self.runner(number)
    }

    /// The runner whose thread has this number; nil if no runner has it.
    private func runner(_ number: Int32) -> Runner? {
        runners.indices.first { threadNumber(of: $0) == number }.map { runners[$0] }
    }

    private func isForeign(_ number: Int32) -> Bool { number != 0 && runner(number) == nil }

    /// Waits for a resource that the thread itself holds, as Dispatch does: nothing can end the
    /// wait.
    func waitForOwn(_ resource: Resource) {
        guard let runner = current, resource.holder === runner, !isCollapsed else { return }
        runner.state = .waiting(resource)
        onWait(runner, resource)
        deadlocks.append(Deadlock([runner]))
        pause(next: "\(runner.frames.first ?? runner.name)^\(resource.word)")
        runner.isForced = false
        runner.state = .ready
    }

    // MARK: Schedules that are over

    /// Estimates the harm if this thread continued after the end of the schedule without the
    /// resource for which it waits. The harm is greatest if other threads use the memory of this
    /// thread. A semaphore cannot be passed without a signal, and the engine takes some resources
    /// together with its own lock.
    func cost(ofForcing index: Int) -> Int {
        guard case .waiting(let resource) = runners[index].state else { return 0 }
        if resource.isLent { return 5 }
        guard let wait = runners[index].systemWait else { return resource.isLock ? 3 : 0 }
        if wait.due != nil { return 1 }
        return wait.mayPretend || runners[index].isHosted ? 2 : 4
    }

    /// Abandons a thread that waits for a signal that no thread will send: its code cannot continue
    /// without the state that the signal announces.
    ///
    /// - Returns: false if the thread may go on.
    func abandons(_ index: Int) -> Bool {
        guard cost(ofForcing: index) == 4 else { return false }
        runners[index].state = .finished
        runners[index].isAbandoned = true
        abandoned += 1
        return true
    }
}
