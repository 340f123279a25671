import CoreData
import Foundation
import LabRunner

/// Forms of concurrent code that start pieces of work concurrently.
extension Way {
    static let starting: [Way] = tasks + queues + callbacks + runLoops

    private static let tasks: [Way] = [
        .starting("a session") { _ in { section in section() } },
        .startingLater("an asynchronous session") { _ in { section in section() } },
        .startingLater("Task") { _ in { section in await Task { section() }.value } },
        .starting("Task, not awaited") { _ in { section in Task { section() } } },
        .startingLater("Task.detached") { _ in
            { section in await Task.detached { section() }.value }
        },
        .startingLater("async let") { _ in
            { section in
                async let done: Void = section()
                await done
            }
        },
        .startingLater("TaskGroup") { _ in
            { section in await withTaskGroup { group in group.addTask { section() } } }
        },
        .startingLater("DiscardingTaskGroup") { _ in
            { section in await withDiscardingTaskGroup { group in group.addTask { section() } } }
        },
        .startingLater("AsyncStream") { _ in
            { section in
                let (stream, source) = AsyncStream<Int>.makeStream()
                Task {
                    source.yield(1)
                    source.finish()
                }
                for await _ in stream { section() }
            }
        },
        .startingLater("Task.sleep") { _ in
            { section in
                try? await Task.sleep(for: .milliseconds(10))
                section()
            }
        },
        .startingLater("Task.yield") { _ in
            { section in
                await Task.yield()
                section()
            }
        },
        .startingLater("MainActor.run next to a session", isForOne: true) { _ in
            { section in await MainActor.run { section() } }
        },
        .starting("Task on the main actor", isForOne: true) { _ in
            { section in Task { @MainActor in section() } }
        },
        .startingLater("an actor for each session") { _ in
            { section in await Runner1().run(section) }
        },
    ]

    private static let queues: [Way] = [
        .starting("DispatchQueue.main.async", isForOne: true) { _ in
            { section in DispatchQueue.main.async { section() } }
        },
        .starting("DispatchQueue.global().async") { _ in
            { section in DispatchQueue.global().async { section() } }
        },
        .starting("a serial DispatchQueue for each session, async") { _ in
            { section in DispatchQueue(label: "import").async { section() } }
        },
        .starting("a serial DispatchQueue next to a session, sync", isForOne: true) { _ in
            let queue = DispatchQueue(label: "import")
            return { section in queue.sync { section() } }
        },
        .starting("a concurrent DispatchQueue, async") { _ in
            let queue = DispatchQueue(label: "import", attributes: .concurrent)
            return { section in queue.async { section() } }
        },
        .starting("a concurrent DispatchQueue, sync") { _ in
            let queue = DispatchQueue(label: "import", attributes: .concurrent)
            return { section in queue.sync { section() } }
        },
        .starting("DispatchWorkItem") { _ in
            { section in DispatchQueue.global().async(execute: DispatchWorkItem { section() }) }
        },
        .starting("asyncAfter") { _ in
            { section in
                DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { section() }
            }
        },
        .starting("DispatchGroup, notified") { _ in
            { section in
                let group = DispatchGroup()
                DispatchQueue.global().async(group: group) {}
                group.notify(queue: .global()) { section() }
            }
        },
        .starting("DispatchGroup, entered and left") { _ in
            { section in
                let group = DispatchGroup()
                group.enter()
                DispatchQueue.global().async {
                    section()
                    group.leave()
                }
                group.wait()
            }
        },
        .starting("concurrentPerform", isForOne: true) { _ in
            { section in
                DispatchQueue.concurrentPerform(iterations: 2) { if $0 == 0 { section() } }
            }
        },
        .starting("OperationQueue, a block") { _ in
            let queue = OperationQueue()
            return { section in queue.addOperation { section() } }
        },
        .starting("OperationQueue, an Operation") { _ in
            let queue = OperationQueue()
            return { section in queue.addOperation(SectionOperation(section)) }
        },
        .starting("OperationQueue.main", isForOne: true) { _ in
            { section in OperationQueue.main.addOperation { section() } }
        },
        .starting("lab.queue, async") { lab in
            let queue = lab.queue("import", isConcurrent: true)
            return { section in queue.async { section() } }
        },
        .starting("lab.operationQueue") { lab in
            let queue = lab.operationQueue()
            return { section in queue.addOperation { section() } }
        },
    ]

    private static let callbacks: [Way] = [
        .startingLater("a continuation that a Dispatch queue resumes") { _ in
            { section in
                await withCheckedContinuation { continuation in
                    DispatchQueue.global().async { continuation.resume() }
                }
                section()
            }
        },
        .startingLater("a continuation that a foreign thread resumes") { _ in
            { section in
                await withCheckedContinuation { continuation in
                    Outsider.shared.run { continuation.resume() }
                }
                section()
            }
        },
        .starting("a completion handler") { _ in
            { section in
                Service().load { section() }
            }
        },
        .starting("an observer without a queue") { _ in
            { section in Observed().post(on: nil, section) }
        },
        .starting("an observer on an operation queue") { _ in
            { section in Observed().post(on: OperationQueue(), section) }
        },
        .starting("an observer on the main queue", isForOne: true) { _ in
            { section in Observed().post(on: .main, section) }
        },
        .starting("a semaphore that a block signals") { _ in
            { section in
                let isDone = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    section()
                    isDone.signal()
                }
                isDone.wait()
            }
        },
        .starting("a semaphore with a time-out") { _ in
            { section in
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.01)
                section()
            }
        },
        .starting("Thread.sleep") { _ in
            { section in
                Thread.sleep(forTimeInterval: 0.001)
                section()
            }
        },
    ]
}

private actor Runner1 {
    func run(_ section: Way.Section) { section() }
}

/// `@unchecked Sendable` because it has only one constant.
private final class SectionOperation: Operation, @unchecked Sendable {
    private let section: Way.Section

    init(_ section: @escaping Way.Section) { self.section = section }

    override func main() { section() }
}

private struct Service {
    func load(_ completion: @escaping @Sendable () -> Void) {
        DispatchQueue.global(qos: .utility).async {
            DispatchQueue.global(qos: .userInitiated).async { completion() }
        }
    }
}

/// An object that notifies its observers.
private final class Observed: Sendable {
    func post(on queue: OperationQueue?, _ section: @escaping Way.Section) {
        let name = Notification.Name("changed")
        let token = NotificationCenter.default.addObserver(
            forName: name, object: self, queue: queue
        ) { _ in section() }
        NotificationCenter.default.post(name: name, object: self)
        NotificationCenter.default.removeObserver(token)
    }
}

/// A thread that exists before the exploration, so the lab does not control it.
final class Outsider: Sendable {
    static let shared = Outsider()

    private let condition = NSCondition()
    // Unchecked because the condition guards it.
    private nonisolated(unsafe) var work: [@Sendable () -> Void] = []

    private init() {
        Thread { [self] in
            while true {
                condition.lock()
                while work.isEmpty { condition.wait() }
                let next = work.removeFirst()
                condition.unlock()
                next()
            }
        }.start()
    }

    func run(_ next: @escaping @Sendable () -> Void) {
        condition.lock()
        work.append(next)
        condition.signal()
        condition.unlock()
    }
}
