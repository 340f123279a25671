import Synchronization

/// The parts of a depth-first walk: where the next one begins, and those that share an allowance.
struct Branches<Walk: ScheduleWalk, Record: WalkRecord, Failure: Error>: Sendable {
    /// The choices with which parts begin.
    var beginning: Walk
    /// The parts that run in this round, the last one first.
    fileprivate var waiting: [Branch<Walk, Record, Failure>] = []
    /// Those that have had their share of this round.
    fileprivate var paused: [Branch<Walk, Record, Failure>] = []
    fileprivate var ended: [WalkPart<Record, Failure>] = []

    init(_ beginning: Walk) { self.beginning = beginning }
}

/// A part that goes on in another round, perhaps in another world.
struct Branch<Walk: ScheduleWalk, Record: WalkRecord, Failure: Error>: Sendable {
    let number: Int
    var walk: Walk
    /// What it has shown; nil before its first round.
    var part: WalkPart<Record, Failure>?
    /// The most runs of this round.
    fileprivate(set) var share = 0
}

/// Shares of an allowance: as large for each part that has something left, the first parts taking
/// what does not divide. They depend on the parts alone, not on who runs them.
enum AllowanceShares {
    static func share(_ number: Int, of allowance: Int, among count: Int) -> Int {
        allowance / count + (number < allowance % count ? 1 : 0)
    }
}

extension WalkPhase {
    /// Whether there may be more than the allowance, so that its parts share it.
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
    /// Gives out a part that has a share of this round.
    ///
    /// - Parameter follow: runs the choices up to where parts begin; there are few such beginnings
    ///   beside what follows them.
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
            return isStopped ? nil : state[keyPath: kind].waiting.popLast()
        }
    }

    /// Takes a branch back that has had its share or has come to its end.
    func give<Walk: ScheduleWalk>(
        _ branch: Branch<Walk, Record, Failure>,
        _ kind: WritableKeyPath<State, Branches<Walk, Record, Failure>>, _ times: TimeShares
    ) {
        state.withLock { state in
            state.ending.times.add(times)
            if let part = branch.part, part.isWhole || part.failure != nil {
                state[keyPath: kind].ended.append(part)
            } else {
                state[keyPath: kind].paused.append(branch)
            }
        }
    }

    /// Shares what is left of the allowance among the parts that have something left; joins all
    /// parts in their order if there is nothing to share.
    ///
    /// - Returns: whether there is another round.
    func share<Walk: ScheduleWalk>(
        _ kind: WritableKeyPath<State, Branches<Walk, Record, Failure>>, _ state: inout State
    ) -> Bool {
        let branches = state[keyPath: kind]
        let open = (branches.paused + branches.waiting).sorted { $0.number < $1.number }
        let parts = branches.ended + open.compactMap(\.part)
        let left = phase.allowance - parts.reduce(0) { $0 + $1.uses.count }
        let failed = parts.filter { $0.failure != nil }.min { $0.number < $1.number }
        state.failure = state.failure ?? failed?.failure
        state[keyPath: kind].paused = []
        state[keyPath: kind].waiting = []
        if open.isEmpty || left <= 0 || state.failure != nil || isStopped {
            state.ending.isLimited = !open.isEmpty
            state[keyPath: kind].ended = []
            for part in parts.sorted(by: { $0.number < $1.number }) {
                join(whole: part, &state)
            }
            return false
        }
        for (place, branch) in open.enumerated().reversed() {
            var branch = branch
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
