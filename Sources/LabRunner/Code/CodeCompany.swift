import CRuntimeShims
import CoreDataStore
import Foundation

/// Worlds that run schedules of one exploration beside the caller's, each on a thread of its own.
///
/// The threads have the caller's task-local values: an expectation belongs to the test that
/// explores, whoever runs the schedule.
final class CodeCompany {
    private let members: [Member]

    /// - Parameters:
    ///   - size: how many worlds there are.
    ///   - make: makes what one of them runs, on its thread.
    /// - Throws: what the first one that could not be made has thrown.
    init(size: Int, make: @escaping @Sendable () throws -> CodeExploration) throws {
        members = (0..<size).map { _ in Member(make) }
        for member in members { member.wait() }
        if let failure = members.lazy.compactMap(\.failure).first {
            close()
            throw failure
        }
    }

    /// The worlds; only while nothing is shared.
    var worlds: [CodeWorld] { members.compactMap(\.world) }

    /// Does something in every world and on this thread, at the same time.
    ///
    /// - Parameters:
    ///   - help: what a world of the company does, on its thread.
    ///   - own: what the calling thread does.
    func share(_ help: @escaping @Sendable (CodeWorld) -> Void, _ own: () -> Void) {
        let core = faultline_current_core()
        for (index, member) in members.enumerated() {
            member.ask {
                TurnSignal.moveThread(index + 1, from: core)
                help($0)
            }
        }
        own()
        for member in members { member.wait() }
    }

    /// Ends the threads; what their schedules have left behind works without one.
    func close() {
        for member in members { member.ask(nil) }
        for member in members { member.wait() }
    }
}

/// A world and its thread, which does what it is asked for, one thing after the other.
///
/// `@unchecked Sendable` because the semaphores order the two threads: the caller's writes before
/// it asks and reads after it has waited, the world's own in between.
private final class Member: @unchecked Sendable {
    private let asked = DispatchSemaphore(value: 0)
    private let done = DispatchSemaphore(value: 0)
    private var work: (@Sendable (CodeWorld) -> Void)?
    /// Why there is no world.
    private(set) var failure: (any Error)?
    private(set) var world: CodeWorld?

    init(_ make: @escaping @Sendable () throws -> CodeExploration) {
        let executor = InlineExecutor()
        Task(executorPreference: executor) { self.serve(make) }
        let thread = Thread { executor.runAll() }
        thread.stackSize = 16 << 20
        thread.start()
    }

    /// - Parameter work: nil ends the thread.
    func ask(_ work: (@Sendable (CodeWorld) -> Void)?) {
        self.work = work
        asked.signal()
    }

    /// Waits until what was asked for last is done; first of all, until the world is made.
    func wait() { done.wait() }

    private func serve(_ make: () throws -> CodeExploration) {
        do {
            let exploration = try make()
            let world = exploration.world
            self.world = world
            try world.stage.scope.run { try exploration.warmUp() }
        } catch {
            failure = error
            world?.keep(after: error)
        }
        done.signal()
        while true {
            asked.wait()
            guard let work, let world else { break }
            world.stage.scope.run { work(world) }
            done.signal()
        }
        world?.stage.close()
        done.signal()
    }
}
