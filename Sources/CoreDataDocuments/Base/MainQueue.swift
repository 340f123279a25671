import CoreDataStore
import Dispatch

/// Used to check whether the calling thread runs a block of the main queue.
private let mainQueue = MainConfinementQueue(label: "documents")

/// Runs the body on the main queue: immediately if the caller is on that queue, otherwise as soon
/// as the queue is free.
func onMainQueueSoon(_ body: @escaping @MainActor @Sendable () -> Void) {
    if mainQueue.isCurrent { return MainActor.assumeIsolated(body) }
    DispatchQueue.main.async(execute: body)
}

/// Runs the body on the main queue and waits for it. Called on a document's own queue.
func onMainQueue<T: Sendable>(_ body: @MainActor @Sendable () throws -> T) throws -> T {
    if mainQueue.isCurrent { return try MainActor.assumeIsolated(body) }
    return try DispatchQueue.main.sync { try MainActor.assumeIsolated(body) }
}
