import Glibc
import Synchronization

/// A lock, semaphore or condition of the operating system for which a thread of a schedule waits.
///
/// Foreign threads and inlined code take such an object without notifying the lab. So the lab reads
/// the object's state and its holder from memory.
struct SystemWait {
    let resource: Baton.Resource
    /// Whether the program's code takes the object. If a library takes it instead, foreign threads
    /// take it too. Then only a wait for the object counts as a use.
    let isOwn: Bool
    let frame: String
    /// Whether the object is a lock, which is released by the thread that holds it.
    let isLock: Bool
    /// Whether a thread that takes the object becomes its holder, as for a lock.
    let hasHolder: Bool
    /// Whether any other thread can end the wait.
    let isSignalled: Bool
    /// Whether a thread may continue without the object after the end of the schedule.
    let mayPretend: Bool
    /// The time at which the wait times out, by the schedule's clock; nil for no time-out.
    let due: Duration?
    /// Takes the object without waiting; returns false if the object is not free.
    let take: () -> Bool
    let isFree: () -> Bool
    /// Returns the thread ID of the object's holder; 0 if it is unknown.
    let holder: () -> Int32

    enum Ending {
        /// The thread holds the awaited object.
        case taken
        /// The wait has timed out. Or the thread only tried to take the object, and it was not
        /// free.
        case late
        /// The thread continues without the object, because the schedule has ended.
        case pretended
        /// The thread must wait in the operating system, because the schedule was given up or a
        /// foreign thread holds the object.
        case released
    }
}

extension Baton {
    /// The maximum number of attempts to take a lock whose holder is not known yet.
    private static let spinsMax = 3_000
    /// Up to this number of attempts, the thread yields its core after each attempt. Later it
    /// sleeps.
    private static let yieldsMax = 1_000

    /// Takes an object of the operating system, and first waits until no other thread holds it.
    ///
    /// - Parameters:
    ///   - pausesFirst: whether the schedule may first choose another thread, even if the object is
    ///     free.
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
            // A foreign thread continues without the baton, so a wait in the operating system will
            // end.
            if isForeign(holder) { return .released }
            // A foreign thread is just about to register as the holder, or to release the lock.
            if holder == 0, wait.hasHolder, spins < Self.spinsMax {
                spins += 1
                // On a busy machine, the foreign thread may have to wait long for a core.
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

    /// Records that the thread with the baton holds a resource that it took without waiting here.
    func hold(_ resource: Resource) {
        guard let runner = current else { return }
        noteTaken(resource, by: runner)
    }

    /// Records that the holder of a resource no longer holds it.
    func letGo(of resource: Resource) {
        resource.holder?.held.removeAll { $0 === resource }
        resource.holder = nil
    }

    /// Records that the thread with the baton requests a resource while it holds others.
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

    /// Records that the threads that wait for a resource can continue.
    func noteSignal(_ resource: Resource) {
        resource.releases += 1
        if isCollapsed { return }
        onUse(resource, .contends)
        onUse(resource, .handsOver(resource.releases))
    }

    func isAwaited(_ resource: Resource) -> Bool {
        runners.contains { runner in
            if case .waiting(let awaited) = runner.state { awaited === resource } else { false }
        }
    }

    /// The runner that holds the resource for which the given runner waits. Nil if the given runner
    /// does not wait, or if the holder is unknown.
    func holder(inWayOf runner: Runner) -> Runner? {
        guard case .waiting(let resource) = runner.state else { return nil }
        guard let wait = runner.systemWait else { return resource.blocker() ?? resource.holder }
        let number = wait.holder()
        return number == 0 || wait.isFree() ? nil : self.runner(number)
    }

    private func runner(_ number: Int32) -> Runner? {
        runners.indices.first { threadNumber(of: $0) == number }.map { runners[$0] }
    }

    private func isForeign(_ number: Int32) -> Bool { number != 0 && runner(number) == nil }

    /// Waits for a resource that the thread itself holds. As in Dispatch, such a wait never ends.
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

    /// How harmful it is if this thread continues, after the end of the schedule, without the
    /// resource for which it waits. A higher number means more harm. The worst case is that other
    /// threads use memory of this thread.
    func cost(ofForcing index: Int) -> Int {
        guard case .waiting(let resource) = runners[index].state else { return 0 }
        if resource.isLent { return 5 }
        guard let wait = runners[index].systemWait else { return resource.isLock ? 3 : 0 }
        if wait.due != nil { return 1 }
        return wait.mayPretend || runners[index].isHosted ? 2 : 4
    }

    /// Abandons a thread that waits for a signal that no thread will send. The thread's code cannot
    /// continue without the state that the signal announces.
    ///
    /// - Returns: false if the thread may continue.
    func abandons(_ index: Int) -> Bool {
        guard cost(ofForcing: index) == 4 else { return false }
        runners[index].state = .finished
        runners[index].isAbandoned = true
        abandoned += 1
        return true
    }
}
