/// Events that foreign threads cause. The lab did not create these threads, so no schedule decides
/// when such an event happens.
///
/// To make runs of a schedule reproducible, the lab remembers the waits that foreign threads have
/// ended. When a wait with the same name begins again, the schedule continues only after the event.
extension CodeStage {
    /// The name of a wait, which is the same in every schedule.
    func key(of wait: SystemWait) -> String {
        "\(running.map { lanes[$0].name } ?? "") \(wait.frame)"
    }

    /// Names the state of a lane that waits for the next job of its task.
    func job(of lane: Int) -> String {
        "\(lanes[lane].name) waits to be resumed after \(lanes[lane].posted) jobs"
    }

    func noteForeign(_ key: String) {
        guard switches == nil, let outsidePatience, !baton.isCollapsed else { return }
        if outsidePatience.expect(key) { touched.noteLearnt() }
    }

    /// Waits until a foreign thread ends a wait, if a foreign thread did so in an earlier run.
    ///
    /// - Returns: whether a foreign thread has ended the wait.
    func awaitForeign(_ wait: SystemWait) -> Bool {
        guard let outsidePatience, outsidePatience.expectsAny, switches == nil else { return false }
        return awaitForeign(key(of: wait), outsidePatience) { wait.isFree() }
    }

    /// Waits until foreign threads have resumed the tasks that they resumed in earlier runs.
    func awaitForeignJobs() {
        guard let outsidePatience, outsidePatience.expectsAny, switches == nil else { return }
        for lane in lanes.indices where lanes[lane].slices > 0 && lanes[lane].waiting.isEmpty {
            guard lanes[lane].runner.map(isIdle) ?? true else { continue }
            _ = awaitForeign(job(of: lane), outsidePatience) { arrivals.has(lane) }
        }
    }

    private func awaitForeign(
        _ key: String, _ patience: OutsidePatience, _ hasCome: () -> Bool
    ) -> Bool {
        guard patience.expects(key) else { return false }
        let end = ContinuousClock.now + patience.limit
        repeat {
            if hasCome() { return true }
            arrivals.wait()
        } while ContinuousClock.now < end
        patience.forget(key)
        return false
    }
}
