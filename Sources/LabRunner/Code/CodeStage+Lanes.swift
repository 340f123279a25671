import LabSchedule

extension CodeStage {
    func resetLanes() {
        madeByBody = 0
        if lanes.count > table.names.count { lanes.removeSubrange(table.names.count...) }
        // Only the used lanes are reset, because most lanes are unused.
        for index in lanes.indices where !lanes[index].isUnused { lanes[index].reset() }
    }

    /// The name of the next queue or lane that the running lane creates. It consists of the
    /// creator's name and a number.
    func nextName() -> String {
        progress.note()
        guard let running else {
            madeByBody += 1
            return "body/\(madeByBody)"
        }
        lanes[running].made += 1
        return "\(maker)/\(lanes[running].made)"
    }

    var maker: String {
        guard let running else { return "body" }
        let name = lanes[running].name
        return String(name.hasPrefix("~") ? name.dropFirst() : name[...])
    }

    func newLane() -> Int { addLane(nextName()) }

    func addLane(_ name: String) -> Int {
        let number = lanes.count
        if number == SchedulePlan.laneMax { return sharedLane() }
        var name = "~" + name
        // A queue of an earlier schedule keeps its name, so a lane of this name may already exist.
        while lane(named: name) != nil { name += "'" }
        if threads.count == number { threads.append(nil) }
        var lane = CodeLane(name: name, runner: threads[number])
        if let running { lane.timers = lanes[running].timers }
        lanes.append(lane)
        return number
    }

    /// Called when the number of lanes has reached its maximum. Returns a lane that has no work, or
    /// else the last lane.
    private func sharedLane() -> Int {
        isCrowded = true
        return lanes.indices.last {
            $0 >= table.names.count && lanes[$0].waiting.isEmpty
                && lanes[$0].runner.map(isIdle) ?? true
        } ?? lanes.count - 1
    }

    func lane(named name: String) -> Int? {
        // Uses indices, because copying a lane retains many references.
        lanes.indices.first { lanes[$0].name == name }
    }

    /// The lane whose name is spelled like this in a token; nil if the schedule has none so far.
    func lane(tokenWord word: String) -> Int? {
        lanes.indices.first { lanes[$0].name.tokenWord == word }
    }
}
