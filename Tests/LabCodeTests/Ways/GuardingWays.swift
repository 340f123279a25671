import Foundation
import Glibc
import LabRunner
import Synchronization
import Testing

/// Forms of concurrent code in which only one piece of work runs at a time.
extension Way {
    static let guarding: [Way] = locks + queues + executors

    private static let locks: [Way] = [
        .guarding("NSLock") { _ in
            let lock = NSLock()
            return { section in lock.withLock { section() } }
        },
        .guarding("NSLock, locked and unlocked") { _ in
            let lock = NSLock()
            return { section in
                lock.lock()
                section()
                lock.unlock()
            }
        },
        .guarding("NSLock with a time-out") { _ in
            let lock = NSLock()
            return { section in
                guard lock.lock(before: Date(timeIntervalSinceNow: 600)) else { return }
                section()
                lock.unlock()
            }
        },
        .guarding("NSLock, tried again and again") { _ in
            let lock = NSLock()
            let turn = DispatchSemaphore(value: 0)
            return { section in
                while !lock.try() { _ = turn.wait(timeout: .now() + 0.01) }
                section()
                lock.unlock()
            }
        },
        .guarding("NSRecursiveLock, taken twice") { _ in
            let lock = NSRecursiveLock()
            return { section in lock.withLock { lock.withLock { section() } } }
        },
        .guarding("NSCondition as a lock") { _ in
            let condition = NSCondition()
            return { section in condition.withLock { section() } }
        },
        .guarding("NSCondition with a flag") { _ in
            let turn = ConditionTurn()
            return { section in turn.run(section) }
        },
        .guarding("NSConditionLock") { _ in
            let lock = NSConditionLock(condition: 0)
            return { section in
                // The variant without a time-out ends the process if it has to wait.
                let end = Date(timeIntervalSinceNow: 600)
                guard lock.lock(whenCondition: 0, before: end) else { return }
                section()
                lock.unlock(withCondition: 0)
            }
        },
        .guarding("Mutex") { _ in
            let box = MutexBox()
            return { section in box.mutex.withLock { _ in section() } }
        },
        .guarding("pthread_mutex_t") { _ in
            let lock = PthreadLock()
            return { section in lock.run(section) }
        },
        .guarding("pthread_rwlock_t, written") { _ in
            let lock = PthreadReadersLock()
            return { section in lock.write(section) }
        },
        .guarding("pthread_cond_t with a flag") { _ in
            let turn = PthreadTurn()
            return { section in turn.run(section) }
        },
        .guarding("DispatchSemaphore as a lock") { _ in
            let semaphore = DispatchSemaphore(value: 1)
            return { section in
                semaphore.wait()
                section()
                semaphore.signal()
            }
        },
        .guarding("a global NSLock") { _ in
            { section in Globals.lock.withLock { section() } }
        },
    ]

    private static let queues: [Way] = [
        .guarding("a serial DispatchQueue, sync") { _ in
            let queue = DispatchQueue(label: "account")
            return { section in queue.sync { section() } }
        },
        .guarding("a serial DispatchQueue that knows its blocks, sync with a value") { _ in
            let (queue, key) = (DispatchQueue(label: "account"), DispatchSpecificKey<Bool>())
            queue.setSpecific(key: key, value: true)
            return { section in
                let isKnown: Bool = queue.sync {
                    dispatchPrecondition(condition: .onQueue(queue))
                    let isKnown = DispatchQueue.getSpecific(key: key) ?? false
                    if isKnown { section() }
                    return isKnown
                }
                #expect(isKnown)
            }
        },
        .guarding("a concurrent DispatchQueue, sync with a barrier and a value") { _ in
            let queue = DispatchQueue(label: "account", attributes: .concurrent)
            return { section in
                let isDone = queue.sync(flags: .barrier) {
                    dispatchPrecondition(condition: .onQueueAsBarrier(queue))
                    section()
                    return true
                }
                #expect(isDone)
            }
        },
        .guarding("a concurrent DispatchQueue, sync with a barrier") { _ in
            let queue = DispatchQueue(label: "account", attributes: .concurrent)
            return { section in queue.sync(flags: .barrier) { section() } }
        },
        .guarding("DispatchQueue.main.sync") { _ in
            { section in DispatchQueue.main.sync { section() } }
        },
        .guarding("a serial DispatchQueue, async, and a group to wait for it") { _ in
            let queue = DispatchQueue(label: "account")
            return { section in
                let group = DispatchGroup()
                queue.async(group: group) { section() }
                group.wait()
            }
        },
        .guarding("a serial DispatchQueue, async, and a semaphore to wait for it") { _ in
            let queue = DispatchQueue(label: "account")
            return { section in
                let isDone = DispatchSemaphore(value: 0)
                queue.async {
                    section()
                    isDone.signal()
                }
                isDone.wait()
            }
        },
        .guarding("an OperationQueue of one, waited for") { _ in
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            return { section in
                let operation = BlockOperation { section() }
                queue.addOperations([operation], waitUntilFinished: true)
            }
        },
        .guarding("lab.queue, sync") { lab in
            let queue = lab.queue("account")
            return { section in queue.sync { section() } }
        },
    ]

    private static let executors: [Way] = [
        .guardingLater("an actor") { _ in
            let keeper = Keeper()
            return { section in await keeper.run(section) }
        },
        .guardingLater("a global actor") { _ in { section in await GlobalKeeper.run(section) } },
        .guardingLater("MainActor.run") { _ in { section in await MainActor.run { section() } } },
        .guardingLater("an actor on a Dispatch queue") { _ in
            let keeper = QueueKeeper()
            return { section in await keeper.run(section) }
        },
    ]
}

private enum Globals {
    static let lock = NSLock()
}

private final class MutexBox: Sendable {
    let mutex = Mutex(())
}

private actor Keeper {
    func run(_ section: Way.Section) { section() }
}

@globalActor private actor GlobalKeeper {
    static let shared = GlobalKeeper()

    @GlobalKeeper static func run(_ section: Way.Section) { section() }
}

private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "keeper")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

private actor QueueKeeper {
    private let executor = QueueExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run(_ section: Way.Section) { section() }
}

/// `@unchecked Sendable` because the condition guards the flag.
private final class ConditionTurn: @unchecked Sendable {
    private let condition = NSCondition()
    private var isTaken = false

    func run(_ section: Way.Section) {
        condition.lock()
        while isTaken { condition.wait() }
        isTaken = true
        condition.unlock()
        section()
        condition.lock()
        isTaken = false
        condition.signal()
        condition.unlock()
    }
}

/// `@unchecked Sendable` because it is set once.
private final class PthreadLock: @unchecked Sendable {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() { pthread_mutex_init(mutex, nil) }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func run(_ section: Way.Section) {
        pthread_mutex_lock(mutex)
        section()
        pthread_mutex_unlock(mutex)
    }
}

/// `@unchecked Sendable` because it is set once.
private final class PthreadReadersLock: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

    init() { pthread_rwlock_init(lock, nil) }

    deinit {
        pthread_rwlock_destroy(lock)
        lock.deallocate()
    }

    func write(_ section: Way.Section) {
        pthread_rwlock_wrlock(lock)
        section()
        pthread_rwlock_unlock(lock)
    }
}

/// `@unchecked Sendable` because the mutex guards the flag.
private final class PthreadTurn: @unchecked Sendable {
    private let lock = PthreadLock()
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isTaken = false

    init() { pthread_cond_init(condition, nil) }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
    }

    func run(_ section: Way.Section) {
        lock.run {
            while isTaken { pthread_cond_wait(condition, lock.mutex) }; isTaken = true
        }
        section()
        lock.run {
            isTaken = false; pthread_cond_broadcast(condition)
        }
    }
}
