/// Runs one schedule by the names of its steps, even after the file has been edited.
package struct Replay: Sendable {
    package struct Result: Sendable, Equatable {
        package var path: [UInt8] = []
        package var steps: [String] = []
        /// One sentence for each adaptation; empty if the schedule ran as written.
        package var adaptations: [String] = []
    }

    package let plan: SchedulePlan

    package init(plan: SchedulePlan) {
        self.plan = plan
    }

    /// Runs the named steps, and then the first runnable lane until no lane is left.
    ///
    /// A name that no longer exists is skipped. If another step must now precede a named step, it
    /// runs directly before that step. The result lists each adaptation.
    package func run<World: ScheduleWorld>(
        _ names: [String], in world: World
    ) throws(World.Failure) -> Result {
        var run = Run(cursor: ScheduleCursor(plan: plan, world: world))
        try run.cursor.reset()
        for name in names { try run.follow(name) }
        var extra: [String] = []
        while run.cursor.runnableLanes != 0 {
            extra.append(try run.step(run.cursor.runnableLanes.trailingZeroBitCount))
        }
        if !extra.isEmpty {
            run.result.adaptations.append(
                "after the named steps it continued with \(extra.joined(separator: " "))")
        }
        try world.finish()
        run.result.path = run.cursor.path
        return run.result
    }

    private struct Run<World: ScheduleWorld> {
        var cursor: ScheduleCursor<World>
        var result = Result()

        @discardableResult
        mutating func step(_ lane: Int) throws(World.Failure) -> String {
            let name = cursor.world.nextName(lane: lane) ?? "?"
            try cursor.run(lane)
            result.steps.append(name)
            return name
        }

        mutating func follow(_ name: String) throws(World.Failure) {
            if let lane = head(named: name), cursor.isRunnable(lane) {
                try step(lane)
            } else if let lane = session(of: name) {
                try catchUp(lane, with: name)
            } else {
                result.adaptations.append(
                    "'\(name)' was left out, because no waiting step or block has this name")
            }
        }

        private func head(named name: String) -> Int? {
            (0..<cursor.plan.laneCount).first { cursor.world.nextName(lane: $0) == name }
        }

        private func session(of name: String) -> Int? {
            cursor.plan.lanes.indices.first { lane in
                cursor.plan.lanes[lane].steps.dropFirst(cursor.positions[lane]).contains(name)
            }
        }

        private mutating func catchUp(_ lane: Int, with name: String) throws(World.Failure) {
            while cursor.isRunnable(lane) {
                let ran = try step(lane)
                if ran == name { return }
                result.adaptations.append(
                    "'\(ran)' ran before '\(name)', which now follows '\(ran)' in the scenario")
            }
            result.adaptations.append("'\(name)' has to wait for another step")
        }
    }
}
