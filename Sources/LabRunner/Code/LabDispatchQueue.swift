import Dispatch

/// A replacement for `DispatchQueue`. A schedule controls its work; see
/// ``CodeLab/queue(_:isConcurrent:)``.
///
/// Pieces of work on a serial queue run one after another. Pieces on a concurrent queue run
/// concurrently. The queue supports `async`, `sync`, `asyncAfter`, barriers, groups and work items.
public final class LabDispatchQueue {
    private let queue: CodeWorkQueue
    private let stage: CodeStage

    /// The name of the queue in stories.
    public var label: String { queue.name }

    init(_ label: String, isConcurrent: Bool, _ stage: CodeStage) {
        self.stage = stage
        queue = CodeWorkQueue(
            label, width: isConcurrent ? .max : 1, isSerial: !isConcurrent, stage: stage)
    }

    /// Enqueues work and returns immediately.
    ///
    /// - Parameters:
    ///   - group: a group that the work enters now and leaves when it ends.
    ///   - flags: with `.barrier` no other piece runs at the same time.
    public func async(
        group: DispatchGroup? = nil, flags: DispatchWorkItemFlags = [],
        execute work: @escaping () -> Void
    ) {
        group?.enter()
        let queue = queue
        queue.add(
            CodeWorkQueue.Entry(
                label: "block", isBarrier: flags.contains(.barrier),
                start: .lane {
                    work()
                    queue.finish()
                    group?.leave()
                }))
    }

    /// Enqueues a work item. An item that is cancelled before it starts does nothing.
    public func async(execute item: DispatchWorkItem) { async { item.perform() } }

    /// Waits until the queue may start the work, runs it, and returns when it has ended.
    public func sync<T, E: Error>(
        flags: DispatchWorkItemFlags = [], execute work: () throws(E) -> T
    ) throws(E) -> T {
        try queue.runAndWait(isBarrier: flags.contains(.barrier), work)
    }

    /// Enqueues work after a delay.
    ///
    /// The delay follows the lab's clock, which advances if no other work can run.
    public func asyncAfter(deadline: DispatchTime, execute work: @escaping () -> Void) {
        let now = DispatchTime.now().uptimeNanoseconds
        let left = deadline.uptimeNanoseconds > now ? deadline.uptimeNanoseconds - now : 0
        stage.delay("asyncAfter on \(label)", .nanoseconds(Int64(clamping: left))) { [self] in
            async(execute: work)
        }
    }
}

// `@unchecked Sendable` because one thread of the schedule at a time runs, and foreign threads are
// rejected.
extension LabDispatchQueue: @unchecked Sendable {}
