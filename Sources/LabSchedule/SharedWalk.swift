import Synchronization

/// What is kept of the schedules of a part of a walk, so that the parts can be joined.
package protocol WalkRecord: Sendable {
    /// Adds what the next part has kept of its first so many schedules.
    mutating func join(_ next: Self, first count: Int)
}

/// One walk that several worlds run together.
///
/// The walk is divided into parts: what follows one beginning of a few choices, or a few draws of
/// a sample. Each world takes one part after another. The parts are joined in the order in which
/// one world would run them, and what is beyond the allowance in that order is dropped, so the
/// result does not depend on how many worlds there are.
///
/// Where there is more than the allowance, one world would spend it in the first corner. Parts
/// then share it (see ``AllowanceShares``): they run in rounds, each part up to its share, and what
/// small parts leave over is shared again.
///
/// A visitor that stops the walk stops it at a place in that order: parts before it go on, and what
/// parts behind it have run is dropped.
package final class SharedWalk<Record: WalkRecord, Failure: Error>: Sendable {
    let explorer: Explorer
    package let phase: WalkPhase
    /// What the walks before this one have come to.
    private let before: Explorer.Summary
    let state: Mutex<State>
    /// Whether the parts share the allowance.
    let isShared: Bool
    /// What the joined parts have used up of the allowance.
    private let used = Atomic<Int>(0)
    private let completed = Atomic<Int>(0)
    /// The time is over.
    private let isOutOfTime = Atomic<Bool>(false)
    private let stopPart = Atomic<Int>(.max)

    struct State: Sendable {
        var full: Branches<FullWalk, Record, Failure>
        var reduced: Branches<ReducedWalk, Record, Failure>
        var hasBegun = false
        /// How many parts there were so far.
        fileprivate var parts = 0
        /// Parts that were given out and are not joined, in order.
        fileprivate var open: [Int] = []
        fileprivate var done: [Int: WalkPart<Record, Failure>] = [:]
        /// No more parts are given out.
        var isOver = false
        var failure: Failure?
        var ending = WalkEnding()
        fileprivate var record: Record
    }

    /// - Parameters:
    ///   - empty: the record of no schedules.
    ///   - before: what the walks before this one have come to.
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

    /// Runs parts in a world until there are no more in this round. Each world calls it once in a
    /// round, on any thread.
    ///
    /// - Parameters:
    ///   - begin: makes the record of the part with this number.
    ///   - visit: called after each complete schedule; false stops the walk there.
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

    /// Prepares another round, when every world has come back; false at the end of the walk.
    package func goOn() -> Bool {
        switch phase.kind {
        case .enumerate: isShared && state.withLock { share(\.full, &$0) }
        case .reduce: isShared && state.withLock { share(\.reduced, &$0) }
        case .sample, .prioritize, .partialOrder, .selective, .scout: false
        }
    }

    /// The end of the walk, behind its last round.
    ///
    /// - Throws: what the first schedule that could not be run has thrown.
    package func finish() throws(Failure) -> (ending: WalkEnding, record: Record) {
        let (failure, ended, record) = state.withLock { ($0.failure, $0.ending, $0.record) }
        if let failure { throw failure }
        var ending = ended
        ending.isStopped = ended.isStopped || ended.isOutOfTime
        ending.isWhole = ended.isWhole && !ended.isLimited && !ending.isStopped
        return (ending, record)
    }

    // MARK: For workers

    /// The first part that the visitor has stopped, by its number; the greatest where none is.
    var stop: Int { stopPart.load(ordering: .relaxed) }

    /// No part begins any more.
    var givesNoMore: Bool { isStopped(.max) }

    /// Whether no schedule of a part starts any more.
    func isStopped(_ part: Int) -> Bool {
        isOutOfTime.load(ordering: .relaxed) || stop <= part && stop != .max
    }

    /// The most that a part which runs now can still count for.
    var allowance: Int { phase.allowance - used.load(ordering: .relaxed) }

    /// Gives out the next part of a depth-first walk.
    ///
    /// - Parameters:
    ///   - kind: the walk that chooses.
    ///   - follow: runs the choices up to where parts begin.
    func takePart<Walk: ScheduleWalk>(
        _ kind: WritableKeyPath<State, Branches<Walk, Record, Failure>>,
        _ follow: (inout Walk) throws(Failure) -> Void
    ) -> (number: Int, walk: Walk)? {
        state.withLock { state in nextPart(kind, &state, follow) }
    }

    /// Goes to where the next part begins; nil if there is none, or nothing is left for it.
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

    /// Gives out the next few draws of a sample, by their numbers.
    func takeDraws() -> (number: Int, draws: Range<Int>)? {
        state.withLock { state in
            while !state.isOver, !givesNoMore {
                let first = phase.firstDraw + state.parts * WalkPhase.drawsOfPart
                let end = phase.firstDraw + phase.allowance
                if first >= end {
                    // A sample is no proof, whole or in shards.
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

    /// The walk could not go to where the next part begins.
    private func fail(_ failure: Failure, _ state: inout State) {
        state.isOver = true
        var part = WalkPart<Record, Failure>(number: state.parts, record: state.record)
        part.failure = failure
        state.open.append(part.number)
        state.done[part.number] = part
        join(&state)
    }

    /// Takes a part that has run, and joins all that can be joined in order.
    func give(_ part: WalkPart<Record, Failure>, _ times: TimeShares) {
        state.withLock { state in
            state.done[part.number] = part
            state.ending.times.add(times)
            join(&state)
        }
    }

    /// Joins the first runs of a part, whatever the allowance.
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
        // One world would have ended here.
        let isLimited = part.uses.count > left || part.uses.count == left && !part.isWhole
        if part.number == stop, part.uses.count <= left {
            state.isOver = true
            // Another world may have come to the end of the allowance meanwhile.
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

    /// Counts a schedule of a part that is complete, and perhaps stops the walk.
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
    /// What uniform draws make of the number of all schedules.
    var estimates: [Double] = []
    /// It came to its end.
    var isWhole = false
    /// What the run after those has thrown.
    var failure: Failure?
}

/// What became of one run.
enum WalkUse: Sendable {
    /// It came to its end and stands for so many schedules; 0 if that is not known.
    case schedule(weight: UInt64)
    /// It was given up: another one stands for it.
    case abandoned
}

/// How a walk ended.
package struct WalkEnding: Sendable, Equatable {
    package private(set) var explored = 0
    package private(set) var abandoned = 0
    /// How many schedules those that ran stand for; nil where that is not known.
    private(set) var represented: UInt64? = 0
    /// Nothing is left to run.
    package internal(set) var isWhole = false
    /// The allowance ended it.
    var isLimited = false
    /// The visitor or the time ended it.
    var isStopped = false
    var isOutOfTime = false
    var times = TimeShares()
    var estimates: [Double] = []

    /// Adds runs.
    ///
    /// - Returns: how many of them were complete schedules.
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
