import Dispatch

/// A twin of `DispatchQueue` that an exploration steps; see ``CodeLab/queue(_:isConcurrent:)``.
///
/// Work of a serial queue runs one piece after another, that of a concurrent one side by side, each
/// piece in a lane of its own. Code under test takes it where it takes a queue by what both can do:
/// `async`, `sync`, `asyncAfter`, barriers, groups and work items.
public final class LabDispatchQueue {
    private let queue: CodeWorkQueue
    private let stage: CodeStage

    /// Names the queue in stories.
    public var label: String { queue.name }

    init(_ label: String, isConcurrent: Bool, _ stage: CodeStage) {
        self.stage = stage
        queue = CodeWorkQueue(
            label, width: isConcurrent ? .max : 1, isSerial: !isConcurrent, stage: stage)
    }

    /// Puts work behind what waits, and returns at once.
    ///
    /// - Parameters:
    ///   - group: is left when the work has ended.
    ///   - flags: `.barrier` has it run alone.
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

    /// Puts a work item behind what waits; it does nothing where it is cancelled before.
    public func async(execute item: DispatchWorkItem) { async { item.perform() } }

    /// Runs work when its turn has come, and waits for it.
    public func sync<T, E: Error>(
        flags: DispatchWorkItemFlags = [], execute work: () throws(E) -> T
    ) throws(E) -> T {
        try queue.runAndWait(isBarrier: flags.contains(.barrier), work)
    }

    /// Puts work behind what waits, when a time has come.
    ///
    /// The clock is the lab's: it goes on where nothing else can.
    public func asyncAfter(deadline: DispatchTime, execute work: @escaping () -> Void) {
        let now = DispatchTime.now().uptimeNanoseconds
        let left = deadline.uptimeNanoseconds > now ? deadline.uptimeNanoseconds - now : 0
        stage.delay("asyncAfter on \(label)", .nanoseconds(Int64(clamping: left))) { [self] in
            async(execute: work)
        }
    }
}

// `@unchecked Sendable` because one thread of the schedule at a time runs, and threads of others
// are sent away.
extension LabDispatchQueue: @unchecked Sendable {}
