import Synchronization

/// The results of a part of a walk, which can be joined with the results of other parts.
package protocol WalkRecord: Sendable {
    /// Adds the results of the first `count` schedules of the next part.
    mutating func join(_ next: Self, first count: Int)
}

/// One walk that several worlds run together.
///
/// The walk is divided into parts. A part consists of all paths that begin with the same few
/// choices, or of a few draws of a sample. Each world takes one part after another. The parts are
/// joined in the order in which one world would run them, and results beyond the allowance are
/// dropped. So the result does not depend on the number of worlds.
///
/// If more schedules exist than the allowance, one world would spend it on the first parts. The
/// parts then share it (see ``AllowanceShares``). They run in rounds, each part up to its share.
/// Small parts return the rest of their shares for the next round.
///
/// A visitor can stop the walk at a schedule. Parts before this schedule continue, and the results
/// of later parts are dropped.
package final class SharedWalk<Record: WalkRecord, Failure: Error>: Sendable {
    let explorer: Explorer
    package let phase: WalkPhase
    private let before: Explorer.Summary
    let state: Mutex<State>
    let isShared: Bool
    /// How much of the allowance the joined parts have used.
    private let used = Atomic<Int>(0)
    private let completed = Atomic<Int>(0)
    private let isOutOfTime = Atomic<Bool>(false)
    private let stopPart = Atomic<Int>(.max)

    struct State: Sendable {
        var full: Branches<FullWalk, Record, Failure>
        var reduced: Branches<ReducedWalk, Record, Failure>
        var hasBegun = false
        fileprivate var parts = 0
        /// Parts that worlds have taken and that are not joined, in order.
        fileprivate var open: [Int] = []
        fileprivate var done: [Int: WalkPart<Record, Failure>] = [:]
        var isOver = false
        var failure: Failure?
        var ending = WalkEnding()
        fileprivate var record: Record
    }

    /// - Parameters:
    ///   - empty: an empty record.
    ///   - before: the result of the previous walks.
    package init(
        _ explorer: Explorer, _ phase: WalkPhase, empty: Record, after before: Explorer.Summary
    ) {
        self.explorer = explorer
        self.phase = phase
        self.before = before
        isShared = phase.exceedsAllowance(explorer.plan, before.predicted)
        state = Mutex(
            State(
                full: Branches(FullWalk(bound: phase.bound)),
                reduced: Branches(
                    ReducedWalk(
                        plan: explorer.plan, wholeDepth: phase.depth(in: explorer.plan))),
                record: empty))
    }

    /// Runs parts in a world until this round has none left. Each world calls it once in a round,
    /// on any thread.
    ///
    /// - Parameters:
    ///   - begin: creates the record of the part with this number.
    ///   - visit: called after each complete schedule; return false to stop the walk at this
    ///     schedule.
    package func work<World: ScheduleWorld>(
        in world: World, begin: (Int) -> Record,
        progress: (Explorer.Progress) -> Void = { _ in },
        visit: (VisitedSchedule, inout Record) throws(Failure) -> Bool
    ) where World.Failure == Failure {
        var worker = WalkWorker(walk: self, world: world)
        switch phase.kind {
        case .enumerate: worker.runParts(\.full, begin, progress, visit)
        case .reduce:
            world.recordsFootprints = true
            worker.runParts(\.reduced, begin, progress, visit)
            world.recordsFootprints = false
        case .sample, .prioritize, .partialOrder, .selective, .scout:
            guard let drawing = phase.drawing else { return }
            world.recordsFootprints = drawing.needsFootprints
            worker.runDraws(drawing, begin, progress, visit)
            world.recordsFootprints = false
        }
    }

    /// Prepares the next round, after every world has returned. Returns false at the end of the
    /// walk.
    package func goOn() -> Bool {
        switch phase.kind {
        case .enumerate: isShared && state.withLock { share(\.full, &$0) }
        case .reduce: isShared && state.withLock { share(\.reduced, &$0) }
        case .sample, .prioritize, .partialOrder, .selective, .scout: false
        }
    }

    /// Ends the walk, after its last round.
    ///
    /// - Throws: the error of the first schedule that could not run.
    package func finish() throws(Failure) -> (ending: WalkEnding, record: Record) {
        let (failure, ended, record) = state.withLock { ($0.failure, $0.ending, $0.record) }
        if let failure { throw failure }
        var ending = ended
        ending.isStopped = ended.isStopped || ended.isOutOfTime
        ending.isWhole = ended.isWhole && !ended.isLimited && !ending.isStopped
        return (ending, record)
    }

    // MARK: For workers

    /// The number of the first part that the visitor has stopped; `Int.max` for none.
    var stop: Int { stopPart.load(ordering: .relaxed) }

    /// Whether no further part may begin.
    var givesNoMore: Bool { isStopped(.max) }

    /// Whether no further schedule of a part may start.
    func isStopped(_ part: Int) -> Bool {
        isOutOfTime.load(ordering: .relaxed) || stop <= part && stop != .max
    }

    /// The maximum number of schedules that a part can contribute if it starts now.
    var allowance: Int { phase.allowance - used.load(ordering: .relaxed) }

    /// Returns the next part of a depth-first walk.
    ///
    /// - Parameters:
    ///   - kind: the walk that chooses.
    ///   - follow: runs the choices up to the start of a part.
    func takePart<Walk: ScheduleWalk>(
        _ kind: WritableKeyPath<State, Branches<Walk, Record, Failure>>,
        _ follow: (inout Walk) throws(Failure) -> Void
    ) -> (number: Int, walk: Walk)? {
        state.withLock { state in nextPart(kind, &state, follow) }
    }

    /// Moves to the start of the next part. Returns nil if no part is left, or if the allowance is
    /// used up.
    func nextPart<Walk: ScheduleWalk>(
        _ kind: WritableKeyPath<State, Branches<Walk, Record, Failure>>, _ state: inout State,
        _ follow: (inout Walk) throws(Failure) -> Void
    ) -> (number: Int, walk: Walk)? {
        while !state.isOver, !givesNoMore {
            if state.hasBegun, !state[keyPath: kind].beginning.advance(keeping: 0) {
                state.isOver = true
                state.ending.isWhole = true
                break
            }
            state.hasBegun = true
            if allowance <= 0 {
                state.isOver = true
                state.ending.isLimited = true
                break
            }
            do throws(Failure) {
                try follow(&state[keyPath: kind].beginning)
            } catch {
                fail(error, &state)
                break
            }
            if let number = nextNumber(&state) {
                return (number, state[keyPath: kind].beginning.copied())
            }
        }
        return nil
    }

    func takeDraws() -> (number: Int, draws: Range<Int>)? {
        state.withLock { state in
            while !state.isOver, !givesNoMore {
                let first = phase.firstDraw + state.parts * WalkPhase.drawsOfPart
                let end = phase.firstDraw + phase.allowance
                if first >= end {
                    // A sample proves nothing about other schedules, even if the results of all
                    // shards are joined.
                    state.isOver = true
                    state.ending.isLimited = true
                    break
                }
                if let number = nextNumber(&state) {
                    return (number, first..<min(first + WalkPhase.drawsOfPart, end))
                }
            }
            return nil
        }
    }

    /// The number of the next part; nil if it belongs to another shard.
    private func nextNumber(_ state: inout State) -> Int? {
        let number = state.parts
        state.parts += 1
        if let shard = explorer.shard, !shard.owns(number) { return nil }
        if !isShared { state.open.append(number) }
        return number
    }

    /// Records that the walk could not reach the start of the next part.
    private func fail(_ failure: Failure, _ state: inout State) {
        state.isOver = true
        var part = WalkPart<Record, Failure>(number: state.parts, record: state.record)
        part.failure = failure
        state.open.append(part.number)
        state.done[part.number] = part
        join(&state)
    }

    func give(_ part: WalkPart<Record, Failure>, _ times: TimeShares) {
        state.withLock { state in
            state.done[part.number] = part
            state.ending.times.add(times)
            join(&state)
        }
    }

    /// Joins the first runs of a part, regardless of the allowance.
    func join(_ part: WalkPart<Record, Failure>, runs: Int, _ state: inout State) {
        state.ending.estimates += part.estimates
        let schedules = state.ending.add(part.uses.prefix(runs))
        state.record.join(part.record, first: schedules)
    }

    private func join(_ state: inout State) {
        while !state.ending.isStopped, let number = state.open.first,
            let part = state.done.removeValue(forKey: number)
        {
            state.open.removeFirst()
            join(part, &state)
        }
    }

    private func join(_ part: WalkPart<Record, Failure>, _ state: inout State) {
        let left = allowance
        let kept = part.uses.prefix(left)
        used.add(kept.count, ordering: .relaxed)
        state.ending.estimates += part.estimates
        let schedules = state.ending.add(kept)
        if schedules > 0 { state.record.join(part.record, first: schedules) }
        // The walk ends here if a single world would have ended here.
        let isLimited = part.uses.count > left || part.uses.count == left && !part.isWhole
        if part.number == stop, part.uses.count <= left {
            state.isOver = true
            // Another world may have used up the allowance meanwhile.
            state.ending.isLimited = isLimited
            state.ending.isStopped = true
        } else if isLimited {
            state.isOver = true
            state.ending.isLimited = true
        } else if let failure = part.failure {
            state.isOver = true
            state.failure = state.failure ?? failure
        }
    }

    func complete(_ goesOn: Bool, in part: Int, _ progress: (Explorer.Progress) -> Void) {
        let explored = before.explored + completed.add(1, ordering: .relaxed).newValue
        if explored % explorer.progressInterval == 0 {
            progress(.init(explored: explored, expected: expected))
        }
        if !goesOn {
            stopPart.min(part, ordering: .relaxed)
        } else if let deadline = explorer.deadline, ContinuousClock.now >= deadline {
            isOutOfTime.store(true, ordering: .relaxed)
            state.withLock { $0.ending.isOutOfTime = true }
        }
    }

    private var expected: UInt64? {
        guard let count = before.predicted.count else { return UInt64(explorer.limit) }
        let part = explorer.shard.map { UInt64($0.count) } ?? 1
        return min(count / part, UInt64(explorer.limit))
    }
}

/// A part of a walk that a world has run.
struct WalkPart<Record: WalkRecord, Failure: Error>: Sendable {
    let number: Int
    var record: Record
    var uses: [WalkUse] = []
    /// The estimates of the number of all schedules from uniform draws.
    var estimates: [Double] = []
    var isWhole = false
    var failure: Failure?
}

/// The result of one run.
enum WalkUse: Sendable {
    /// A complete schedule, and the number of schedules that it represents; 0 if unknown.
    case schedule(weight: UInt64)
    /// A run that was abandoned, because another schedule represents it.
    case abandoned
}

/// The results of a walk that has ended, and the reasons for its end.
package struct WalkEnding: Sendable, Equatable {
    package private(set) var explored = 0
    package private(set) var abandoned = 0
    /// The number of schedules that are equivalent to a completed run; nil if unknown.
    private(set) var represented: UInt64? = 0
    package internal(set) var isWhole = false
    var isLimited = false
    /// Whether the visitor or the time budget ended the walk.
    var isStopped = false
    var isOutOfTime = false
    var times = TimeShares()
    var estimates: [Double] = []

    /// Adds runs.
    ///
    /// - Returns: the number of complete schedules among them.
    mutating func add(_ uses: ArraySlice<WalkUse>) -> Int {
        var schedules = 0
        for use in uses {
            guard case .schedule(let weight) = use else {
                abandoned += 1
                continue
            }
            schedules += 1
            if let sum = represented {
                let (next, overflow) = sum.addingReportingOverflow(weight)
                represented = overflow || weight == 0 ? nil : next
            }
        }
        explored += schedules
        return schedules
    }
}
