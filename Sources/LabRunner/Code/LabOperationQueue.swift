import Foundation

/// A replacement for `OperationQueue`. A schedule controls its operations;
/// ``CodeLab/operationQueue(_:)`` creates it.
///
/// The queue runs Foundation's operations with their dependencies, priorities and cancellation.
/// Each operation has its own lane, which the schedule runs like a thread.
public final class LabOperationQueue {
    /// The default limit of concurrent operations: no limit.
    public static let defaultMaxConcurrentOperationCount = -1

    private let queue: CodeWorkQueue
    private let stage: CodeStage
    private var waiting: [Operation] = []

    init(_ name: String, _ stage: CodeStage) {
        self.stage = stage
        queue = CodeWorkQueue(name, width: .max, isSerial: false, stage: stage)
    }

    /// The name of the queue in stories.
    public var name: String? { queue.name }

    /// The maximum number of operations that run at the same time; -1 for no limit.
    public var maxConcurrentOperationCount: Int {
        get { queue.width == .max ? Self.defaultMaxConcurrentOperationCount : queue.width }
        set { queue.width = newValue < 0 ? .max : newValue }
    }

    /// Whether the queue starts no further operations.
    public var isSuspended: Bool {
        get { queue.isSuspended }
        set { queue.isSuspended = newValue }
    }

    /// The operations that have not ended.
    public var operations: [Operation] { waiting.filter { !$0.isFinished } }

    /// Adds an operation, which starts when its dependencies have finished.
    public func addOperation(_ operation: Operation) { add(operation, isBarrier: false) }

    /// Adds a closure as an operation.
    public func addOperation(_ work: @escaping @Sendable () -> Void) {
        addOperation(BlockOperation(block: work))
    }

    /// Adds operations.
    public func addOperations(_ operations: [Operation], waitUntilFinished wait: Bool) {
        for operation in operations { addOperation(operation) }
        if wait { waitUntilAllOperationsAreFinished() }
    }

    /// Adds a barrier: a closure that starts after all earlier operations have finished. No later
    /// operation starts before the closure has ended.
    public func addBarrierBlock(_ work: @escaping @Sendable () -> Void) {
        add(BlockOperation(block: work), isBarrier: true)
    }

    /// Waits until every operation has ended.
    public func waitUntilAllOperationsAreFinished() { queue.waitUntilIdle() }

    /// Cancels the operations that have not ended. An operation that has not begun then ends
    /// without its work.
    public func cancelAllOperations() { for operation in operations { operation.cancel() } }

    private func add(_ operation: Operation, isBarrier: Bool) {
        waiting.removeAll(where: \.isFinished)
        waiting.append(operation)
        queue.add(
            CodeWorkQueue.Entry(
                label: operation.name ?? "operation", isBarrier: isBarrier,
                priority: operation.queuePriority.rawValue,
                isReady: { operation.dependencies.allSatisfy(\.isFinished) },
                start: .lane { [self] in
                    operation.start()
                    end(operation)
                }))
    }

    /// Waits until an operation has finished, and then ends its work. An asynchronous operation
    /// finishes some time after `start()` returns.
    private func end(_ operation: Operation) {
        if operation.isFinished { return queue.finish() }
        stage.runLast { [self] in end(operation) }
    }
}

// `@unchecked Sendable` because one thread of the schedule at a time runs, and foreign threads are
// rejected.
extension LabOperationQueue: @unchecked Sendable {}
