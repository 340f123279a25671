import Foundation

/// Threads that run the cells of a suite concurrently. An idle thread helps another thread to run
/// the schedules of its cell. Suites create a crew for each run.
///
/// `@unchecked Sendable` because a condition guards all mutable state.
final class Crew: @unchecked Sendable {
    /// A thread of the crew with its last runner. Only this thread uses the seat.
    final class Seat {
        private var last: (company: CellRunner.Company, runner: CellRunner?)?

        /// The runner with which this thread helps to explore another thread's cell; nil if no
        /// runner can be created.
        func runner(of company: CellRunner.Company) -> CellRunner? {
            if let last, last.company === company { return last.runner }
            leave()
            let runner = try? company.makeRunner()
            last = (company, runner)
            return runner
        }

        func leave() {
            last?.runner?.world.lab.store.close()
            last = nil
        }
    }

    /// Work that several threads can do together.
    private final class Offer {
        let help: @Sendable (Seat) -> Void
        var helpers = 0

        init(_ help: @escaping @Sendable (Seat) -> Void) { self.help = help }
    }

    /// The number of threads, including the caller's.
    let size: Int
    private let condition = NSCondition()
    private var next = 0
    private var count = 0
    private var running = 0
    private var offers: [Offer] = []

    init(size: Int) { self.size = size }

    /// Runs numbered tasks, each on one thread, and returns when all tasks have ended.
    func run(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) {
        condition.withLock {
            next = 0
            self.count = count
        }
        let others = DispatchGroup()
        for _ in 1..<max(1, size) {
            others.enter()
            let thread = Thread { [self] in
                serve(work)
                others.leave()
            }
            thread.stackSize = 16 << 20
            thread.start()
        }
        serve(work)
        others.wait()
    }

    /// Runs work on this thread and on every idle thread.
    ///
    /// - Parameter help: the work of other threads; it returns when no work is left.
    func share(_ help: @escaping @Sendable (Seat) -> Void, _ own: () -> Void) {
        let offer = Offer(help)
        condition.withLock {
            offers.append(offer)
            condition.broadcast()
        }
        own()
        condition.withLock {
            offers.removeAll { $0 === offer }
            while offer.helpers > 0 { condition.wait() }
        }
    }

    private func serve(_ work: @Sendable (Int) -> Void) {
        let seat = Seat()
        condition.lock()
        while true {
            if next < count {
                let number = next
                next += 1
                running += 1
                unlocked { work(number) }
                running -= 1
            } else if let offer = offers.first {
                offer.helpers += 1
                unlocked { offer.help(seat) }
                offer.helpers -= 1
                // If one helper finds no more work, the other helpers do not find any either.
                offers.removeAll { $0 === offer }
            } else if running == 0 {
                break
            } else {
                condition.wait()
                continue
            }
            condition.broadcast()
        }
        condition.unlock()
        seat.leave()
    }

    private func unlocked(_ body: () -> Void) {
        condition.unlock()
        body()
        condition.lock()
    }
}
