import CRuntimeShims
import CoreDataStore
import Foundation

/// Additional worlds that run schedules of an exploration concurrently, each on its own thread. A
/// world is everything that one run of a schedule uses, such as its threads and stores.
///
/// The threads inherit the caller's task-local values, so that Swift Testing attributes a failed
/// expectation to the exploring test.
final class CodeCompany {
    private let members: [Member]

    /// - Parameters:
    ///   - size: the number of worlds.
    ///   - make: creates an exploration with a new world; called on the thread of the world.
    /// - Throws: the error of the first world that could not be created.
    init(size: Int, make: @escaping @Sendable () throws -> CodeExploration) throws {
        members = (0..<size).map { _ in Member(make) }
        for member in members { member.wait() }
        if let failure = members.lazy.compactMap(\.failure).first {
            close()
            throw failure
        }
    }

    /// The worlds. May be read only while none of them performs work.
    var worlds: [CodeWorld] { members.compactMap(\.world) }

    /// Performs work in every world and on this thread, at the same time.
    ///
    /// - Parameters:
    ///   - help: the work of each additional world, on its thread.
    ///   - own: the work of the calling thread.
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

    /// Ends the threads. Objects that outlive their schedules then run without one.
    func close() {
        for member in members { member.ask(nil) }
        for member in members { member.wait() }
    }
}

/// A world and its thread, which performs one request after another.
///
/// `@unchecked Sendable` because the semaphores order the accesses of the two threads. The caller
/// writes before `ask` and reads after `wait`, and the world's thread uses the member in between.
private final class Member: @unchecked Sendable {
    private let asked = DispatchSemaphore(value: 0)
    private let done = DispatchSemaphore(value: 0)
    private var work: (@Sendable (CodeWorld) -> Void)?
    private(set) var failure: (any Error)?
    private(set) var world: CodeWorld?

    init(_ make: @escaping @Sendable () throws -> CodeExploration) {
        let executor = InlineExecutor()
        Task(executorPreference: executor) { self.serve(make) }
        let thread = Thread { executor.runAll() }
        thread.stackSize = 16 << 20
        thread.start()
    }

    /// - Parameter work: the request; nil ends the thread.
    func ask(_ work: (@Sendable (CodeWorld) -> Void)?) {
        self.work = work
        asked.signal()
    }

    /// Waits until the last request has been performed. Before the first request, waits until the
    /// world has been created.
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
