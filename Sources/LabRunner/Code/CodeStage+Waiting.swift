import CWaitHooks
import Glibc

/// Waits of a schedule's threads for system objects: locks, semaphores and conditions.
enum WaitHooks {
    static let areInstalled: Void = faultline_take_waits(
        faultline_wait_taker(
            wait: { wait in
                guard let wait, let stage = CodeStage.current else { return 0 }
                return stage.take(wait)
            },
            give_back: { CodeStage.current?.giveBack($0) ?? 0 },
            made: { CodeStage.current?.noteMade($0, $1) },
            signalled: { CodeStage.current?.noteSignal($0, $1) },
            gone: { CodeStage.current?.locks.forget($0) }))
}

extension CodeStage {
    private var hasTurn: Bool { baton.current != nil && baton.isCurrentThread && !isReleased }

    /// Acquires a lock or another system object for the calling thread. Other threads run until the
    /// object is free.
    ///
    /// - Returns: 0 if the system must wait, 1 if the object was acquired, 2 if the wait timed out
    ///   or a try failed.
    func take(_ wait: UnsafePointer<faultline_wait>) -> Int32 {
        guard hasTurn else { return 0 }
        defer { endTimeOut() }
        if wait.pointee.kind == FAULTLINE_LOCK { locksTaken += 1 }
        let isInlined = wait.pointee.kind == FAULTLINE_INLINED_LOCK
        if isInlined || !wait.pointee.is_own { noteUnseenLock(wait) }
        inlinedWaits += isInlined ? 1 : 0
        defer { inlinedWaits -= isInlined ? 1 : 0 }
        var pausesFirst =
            wait.pointee.is_own && grain == .operations && running != nil && pausesAtQueue()
        let system = systemWait(wait)
        while true {
            switch baton.take(system, pausesFirst: pausesFirst, isTry: wait.pointee.is_try) {
            case .taken:
                if wait.pointee.kind == FAULTLINE_READ_LOCK { system.resource.depth += 1 }
                return 1
            case .released: return 0
            case .pretended:
                locks.pretend(wait.pointee.object)
                return 1
            case .late:
                if wait.pointee.is_try || isTimeOver(wait) { return 2 }
            }
            pausesFirst = false
        }
    }

    /// Whether a wait has timed out. If code is explored, the schedule has already decided this. In
    /// an existing test, a foreign thread may still end the wait, so the system's clock decides.
    private func isTimeOver(_ wait: UnsafePointer<faultline_wait>) -> Bool {
        if baton.isCollapsed || switches == nil { return true }
        while !canGoOn(without: running ?? -1), !faultline_could_take(wait) {
            if faultline_is_late(wait) { return true }
            host?.turns.note()
            usleep(500)
        }
        return false
    }

    private func systemWait(_ wait: UnsafePointer<faultline_wait>) -> SystemWait {
        let kind = wait.pointee.kind
        let resource = locks.resource(of: wait.pointee)
        let isLock = [FAULTLINE_LOCK, FAULTLINE_WRITE_LOCK].contains(kind)
        let isSignalled = [FAULTLINE_SEMAPHORE, FAULTLINE_GROUP, FAULTLINE_CONDITION].contains(kind)
        return SystemWait(
            resource: resource, isOwn: wait.pointee.is_own,
            frame: "waits for \(resource.name)", isLock: isLock,
            hasHolder: [FAULTLINE_LOCK, FAULTLINE_INLINED_LOCK].contains(kind),
            isSignalled: isSignalled, mayPretend: isLock || kind == FAULTLINE_READ_LOCK,
            due: wait.pointee.has_time_out
                ? sleepers.due(after: .nanoseconds(max(faultline_delay(wait), 0))) : nil,
            take: { faultline_take_now(wait) }, isFree: { faultline_could_take(wait) },
            holder: { faultline_holder(wait) })
    }

    /// The lab does not see how a program takes a free Mutex (by inlined code) or how a library
    /// takes a free lock. It sees only the threads that wait. After the first such wait, the lab
    /// assumes that every operation of the waiting lane and of the holding lane may use the lock.
    private func noteUnseenLock(_ wait: UnsafePointer<faultline_wait>) {
        let number = faultline_holder(wait)
        let holder = lanes.indices.first { lane in
            lanes[lane].runner.map { baton.threadNumber(of: $0) == number } ?? false
        }
        // A thread outside of this world holds the lock only briefly.
        guard let running, let holder else { return }
        for lane in [running, holder] { touched.noteUnseenLock(of: lanes[lane].name) }
    }

    /// Checks whether each awaited Mutex is free. The check marks the Mutex as contended, so the
    /// thread that holds it releases it with a call that the lab sees.
    func markInlinedLocks() {
        if inlinedWaits == 0 { return }
        for lane in lanes.indices { _ = systemWait(of: lane)?.isFree() }
    }

    /// Records that the running thread has released a Mutex. If another thread waits for it, the
    /// schedule may choose this thread now. Otherwise the running thread could take the Mutex again
    /// with inlined code, which the lab does not see.
    private func noteInlinedUnlock(_ object: UnsafeMutableRawPointer?) {
        guard let resource = locks.known(object), baton.isAwaited(resource) else { return }
        baton.noteSignal(resource)
        if grain == .operations, running != nil { baton.pause(next: "after \(resource.word)") }
    }

    /// - Returns: 0 if the lab did not acquire the lock, 1 if the system must release it, 2 if the
    ///   thread never held it.
    func giveBack(_ object: UnsafeMutableRawPointer?) -> Int32 {
        guard hasTurn else { return 0 }
        if locks.endPretending(object) { return 2 }
        guard let resource = locks.known(object) else { return 0 }
        if resource.holder != nil {
            baton.noteGivenBack(resource)
        } else if resource.depth > 0 {
            // Several threads may hold one lock for reading.
            resource.depth -= 1
            baton.noteSignal(resource)
        } else {
            // The system function acquired the lock, so the lab has nothing to release.
            return 0
        }
        return 1
    }

    func noteMade(_ kind: faultline_wait_kind, _ object: UnsafeMutableRawPointer?) {
        if isReleased { return }
        locks.noteMade(kind, object, by: maker)
    }

    func noteSignal(_ kind: faultline_wait_kind, _ object: UnsafeMutableRawPointer?) {
        guard hasTurn else { return }
        if kind == FAULTLINE_INLINED_LOCK { return noteInlinedUnlock(object) }
        var wait = faultline_wait()
        (wait.kind, wait.object, wait.is_own) = (kind, object, true)
        baton.noteSignal(locks.resource(of: wait))
    }
}
