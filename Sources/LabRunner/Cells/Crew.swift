import Foundation

/// Threads that run the cells of a suite side by side. Who finds no cell left helps with the walk
/// of another one. Suites make one for each run.
///
/// `@unchecked Sendable` because a condition guards everything that changes.
final class Crew: @unchecked Sendable {
    /// One thread of the crew, with the runner that it has made last. Only this thread uses it.
    final class Seat {
        private var last: (company: CellRunner.Company, runner: CellRunner?)?

        /// This thread's runner of a cell that it helps with; nil if none can be made.
        func runner(of company: CellRunner.Company) -> CellRunner? {
            if let last, last.company === company { return last.runner }
            leave()
            let runner = try? company.makeRunner()
            last = (company, runner)
            return runner
        }

        /// Closes what the thread has made.
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

    /// How many threads there are, the caller's included.
    let size: Int
    private let condition = NSCondition()
    private var next = 0
    private var count = 0
    /// How many pieces of work are under way.
    private var running = 0
    private var offers: [Offer] = []

    init(size: Int) { self.size = size }

    /// Runs numbered pieces of work, each on one thread, and returns when all have ended.
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

    /// Does something on this thread, and on every other one that has nothing else to do.
    ///
    /// - Parameter help: what others do; it returns when nothing is left.
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
                // What has nothing left for one has nothing left for others.
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
