import Synchronization

/// The parts of a depth-first walk that share the maximum number of runs (the allowance), and the
/// position at which the next part begins.
struct Branches<Walk: ScheduleWalk, Record: WalkRecord, Failure: Error>: Sendable {
    var beginning: Walk
    /// The parts to run in this round, in reverse order.
    fileprivate var waiting: [Branch<Walk, Record, Failure>] = []
    /// Parts that have used their share of this round.
    fileprivate var paused: [Branch<Walk, Record, Failure>] = []
    fileprivate var ended: [Branch<Walk, Record, Failure>] = []

    init(_ beginning: Walk) { self.beginning = beginning }
}

/// A part of a divided walk. In each round, it runs at most its share of the allowance, in any
/// world.
struct Branch<Walk: ScheduleWalk, Record: WalkRecord, Failure: Error>: Sendable {
    let number: Int
    var walk: Walk
    /// The results of the part so far; nil before its first round.
    var part: WalkPart<Record, Failure>?
    fileprivate(set) var share = 0
    /// The number of runs that the part had completed when this round began.
    fileprivate var runsBefore = 0

    fileprivate var atRoundBegin: Branch {
        var branch = self
        branch.runsBefore = part?.uses.count ?? 0
        return branch
    }
}

/// Divides an allowance equally among parts; the first parts get the remainder. The shares do not
/// depend on the worlds that run the parts.
enum AllowanceShares {
    static func share(_ number: Int, of allowance: Int, among count: Int) -> Int {
        allowance / count + (number < allowance % count ? 1 : 0)
    }
}

extension WalkPhase {
    /// Whether the parts of the walk share the allowance. They do if the plan may have more
    /// schedules than the allowance, or, for a reduced walk, more than ``Explorer/automaticMax``.
    func exceedsAllowance(_ plan: SchedulePlan, _ predicted: Prediction) -> Bool {
        if plan.isOpen { return false }
        switch kind {
        case .enumerate: return predicted.count.map { $0 > UInt64(allowance) } ?? true
        case .reduce:
            return predicted.count.map { $0 > UInt64(Explorer.automaticMax) } ?? true
        case .sample, .prioritize, .partialOrder, .selective, .scout: return false
        }
    }
}

extension SharedWalk {
    /// Returns a part that has a share of this round.
    ///
    /// - Parameter follow: runs the choices up to the start of a part. They are few compared with
    ///   the rest of the part.
    func takeBranch<Walk: ScheduleWalk>(
        _ kind: WritableKeyPath<State, Branches<Walk, Record, Failure>>,
        _ follow: (inout Walk) throws(Failure) -> Void
    ) -> Branch<Walk, Record, Failure>? {
        state.withLock { state in
            if !state.hasBegun {
                while let (number, walk) = nextPart(kind, &state, follow) {
                    state[keyPath: kind].paused.append(Branch(number: number, walk: walk))
                }
                _ = share(kind, &state)
            }
            return givesNoMore ? nil : state[keyPath: kind].waiting.popLast()
        }
    }

    /// Receives a part that has used its share or is complete.
    func give<Walk: ScheduleWalk>(
        _ branch: Branch<Walk, Record, Failure>,
        _ kind: WritableKeyPath<State, Branches<Walk, Record, Failure>>, _ times: TimeShares
    ) {
        state.withLock { state in
            state.ending.times.add(times)
            if let part = branch.part, part.isWhole || part.failure != nil {
                state[keyPath: kind].ended.append(branch)
            } else {
                state[keyPath: kind].paused.append(branch)
            }
        }
    }

    /// Divides the rest of the allowance among the unfinished parts. If every part is complete,
    /// joins all parts in their order.
    ///
    /// - Returns: whether another round follows.
    func share<Walk: ScheduleWalk>(
        _ kind: WritableKeyPath<State, Branches<Walk, Record, Failure>>, _ state: inout State
    ) -> Bool {
        let branches = state[keyPath: kind]
        let open = (branches.paused + branches.waiting).sorted { $0.number < $1.number }
        let all = branches.ended + open
        let left = phase.allowance - all.reduce(0) { $0 + ($1.part?.uses.count ?? 0) }
        let failed = all.filter { $0.part?.failure != nil }.min { $0.number < $1.number }
        if let failed, failed.number < stop {
            state.failure = state.failure ?? failed.part?.failure
        }
        state[keyPath: kind].paused = []
        state[keyPath: kind].waiting = []
        if open.isEmpty || left <= 0 || state.failure != nil || givesNoMore {
            state.ending.isLimited = !open.isEmpty
            state.ending.isStopped = stop != .max
            state[keyPath: kind].ended = []
            for branch in all.sorted(by: { $0.number < $1.number }) {
                guard let part = branch.part else { continue }
                // A single world would not have run the schedules after a stop, so they are
                // dropped.
                let runs = branch.number > stop ? branch.runsBefore : part.uses.count
                join(part, runs: runs, &state)
            }
            return false
        }
        state[keyPath: kind].ended = branches.ended.map(\.atRoundBegin)
        for (place, branch) in open.enumerated().reversed() {
            var branch = branch.atRoundBegin
            branch.share = AllowanceShares.share(place, of: left, among: open.count)
            if branch.share > 0 {
                state[keyPath: kind].waiting.append(branch)
            } else {
                state[keyPath: kind].paused.append(branch)
            }
        }
        return true
    }
}
