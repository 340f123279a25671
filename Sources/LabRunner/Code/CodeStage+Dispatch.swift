import CWaitHooks
import Glibc
import Synchronization

/// The state of Dispatch's queues in one schedule.
final class CodeDispatchQueues {
    fileprivate var known: [UnsafeMutableRawPointer: CodeWorkQueue] = [:]
    /// Work that waits until a group is empty.
    fileprivate var notices: [(group: UnsafeMutableRawPointer, work: DispatchWork)] = []

    func reset() {
        for queue in known.keys { faultline_release_queue(queue) }
        known.removeAll(keepingCapacity: true)
        for notice in notices { faultline_release_queue(notice.group) }
        notices.removeAll(keepingCapacity: true)
    }

    deinit { reset() }
}

/// The iterations of one `concurrentPerform`, each of which begins once.
private final class CodePieces: Sendable {
    private let state: Mutex<(begun: [Bool], left: Int)>

    init(_ count: Int) { state = Mutex((Array(repeating: false, count: count), count)) }

    /// - Returns: false if the iteration has already begun.
    func begin(_ piece: Int) -> Bool {
        state.withLock { state in
            defer { state.begun[piece] = true }
            return !state.begun[piece]
        }
    }

    /// - Returns: whether the iteration was the last one to end.
    func end() -> Bool {
        state.withLock { state in
            state.left -= 1
            return state.left == 0
        }
    }

    var haveEnded: Bool { state.withLock { $0.left == 0 } }
}

extension CodeStage: DispatchHost {
    /// Whether the calling thread sets up a schedule, or is a thread of one.
    private var takesWork: Bool { isInside && !isReleased && !isAtEnd }

    func enqueue(_ work: DispatchWork, after delay: Duration) -> Bool {
        guard takesWork else { return false }
        if delay > .zero {
            faultline_retain_queue(work.queue)
            self.delay("asyncAfter on \(name(of: work.queue))", delay) { [unowned self] in
                put(work)
                faultline_release_queue(work.queue)
            }
        } else {
            put(work)
        }
        return true
    }

    private func put(_ work: DispatchWork) {
        if faultline_is_main_queue(work.queue) {
            return mainQueue.enqueue("a block") { work.run() }
        }
        let queue = queue(work.queue)
        queue.add(
            CodeWorkQueue.Entry(
                label: "block", isBarrier: work.isBarrier,
                start: .lane {
                    work.run()
                    queue.finish()
                }))
    }

    func runAndWait(_ work: DispatchWork) -> Bool {
        guard takesWork, baton.current != nil else { return false }
        guard faultline_is_main_queue(work.queue) else {
            queue(work.queue).runAndWait(isBarrier: work.isBarrier) { () throws(Never) in
                work.run()
            }
            return true
        }
        // As in Dispatch, calling `sync` for the main queue on the main queue is a deadlock.
        baton.waitForOwn(mainQueue.resource)
        mainQueue.runAndWait { () throws(Never) in work.run() }
        return true
    }

    func notify(_ work: DispatchWork, of group: UnsafeMutableRawPointer) -> Bool {
        guard takesWork else { return false }
        faultline_retain_queue(group)
        dispatchQueues.notices.append((group, work))
        noteLeft(group)
        return true
    }

    func noteLeft(_ group: UnsafeMutableRawPointer) {
        guard takesWork, !dispatchQueues.notices.isEmpty, faultline_is_group_empty(group) else {
            return
        }
        let due = dispatchQueues.notices.filter { $0.group == group }
        dispatchQueues.notices.removeAll { $0.group == group }
        for notice in due {
            put(notice.work)
            faultline_release_queue(group)
        }
    }

    /// One call of `concurrentPerform` uses this number of lanes.
    private static let applyWidth = 3

    func apply(
        _ queue: UnsafeMutableRawPointer?, _ count: Int,
        _ work: @escaping DispatchHooks.NumberedWork, _ context: UnsafeMutableRawPointer?
    ) -> Bool {
        guard takesWork, baton.current != nil, count > 1 else { return false }
        let width = min(count, Self.applyWidth)
        let end = baton.closedGate("the end of concurrentPerform")
        end.isLent = true
        let pieces = CodePieces(width)
        let run = { [unowned self] (first: Int) in
            guard pieces.begin(first) else { return }
            for number in stride(from: first, to: count, by: width) { work(context, number) }
            if pieces.end() { baton.open(end) }
        }
        for first in 0..<width { append("concurrentPerform", to: newLane()) { run(first) } }
        baton.pass(end)
        // The closure is on this thread's stack, so the thread must not return before all
        // iterations have ended. It runs the remaining iterations itself if the schedule is over or
        // was given up.
        for first in 0..<width { run(first) }
        while isReleased, !pieces.haveEnded { usleep(500) }
        return true
    }

    // MARK: Queues

    private func queue(_ queue: UnsafeMutableRawPointer) -> CodeWorkQueue {
        if let known = dispatchQueues.known[queue] { return known }
        faultline_retain_queue(queue)
        let isSerial = faultline_queue_width(queue) == 1
        let made = CodeWorkQueue(
            name(of: queue), width: isSerial ? 1 : .max, isSerial: isSerial, stage: self)
        dispatchQueues.known[queue] = made
        return made
    }

    /// The label of a queue. If the label is empty, or contains an address as Foundation's labels
    /// do, returns the kind of the queue.
    private func name(of queue: UnsafeMutableRawPointer) -> String {
        let label = String(cString: faultline_label(queue))
        if label.isEmpty { return "a queue" }
        return label.contains("0x") ? "an operation queue" : label
    }
}
