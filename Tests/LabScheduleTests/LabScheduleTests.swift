import LabSchedule
import Testing

@Suite struct ExplorerTests {
    @Test(arguments: [
        ([4, 4], 70), ([3, 3, 2], 560), ([1, 1, 1, 1], 24), ([5], 1), ([2, 0, 2], 6),
    ])
    func `free lanes have as many schedules as the multinomial coefficient says`(
        lengths: [Int], expected: Int
    ) throws {
        let lanes = lengths.enumerated().map { index, count in
            SchedulePlan.Lane(name: "\(index)", steps: (0..<count).map { "s\(index)-\($0)" })
        }
        let world = NumberWorld(SchedulePlan(lanes: lanes))
        let (logs, summary) = try logs(world)
        #expect(summary.predicted == Prediction(count: UInt64(expected), isExact: true))
        #expect(summary.explored == expected)
        #expect(summary.isComplete)
        #expect(Set(logs).count == expected)
        #expect(world.resets == expected)
        #expect(world.finished == expected)
    }

    @Test func `an order removes the schedules that break it, also from the prediction`() throws {
        let order = SchedulePlan.Order(lane: 1, position: 0, requiredLane: 0, requiredPosition: 1)
        let (logs, summary) = try logs(NumberWorld(.lanes(3, 2, orders: [order])))
        #expect(summary.predicted == Prediction(count: UInt64(logs.count), isExact: true))
        #expect(logs.count == 3)
        #expect(
            logs.allSatisfy { log in
                guard let before = log.firstIndex(of: "a2"), let after = log.firstIndex(of: "b1")
                else {
                    return false
                }
                return before < after
            })
    }

    @Test func `a delivery is possible at every position after its cause`()
        throws
    {
        let mailbox = SchedulePlan.Mailbox(name: "m", causes: [(lane: 0, position: 1)])
        let plan = SchedulePlan.lanes(2, 2, mailboxes: [mailbox])
        let (logs, summary) = try logs(NumberWorld(plan, posting: ["a2"]))
        #expect(summary.predicted == Prediction(count: UInt64(logs.count), isExact: false))
        #expect(Set(logs).count == logs.count)
        #expect(logs.allSatisfy { $0.firstIndex(of: "~m#1")! > $0.firstIndex(of: "a2")! })
        #expect(logs.contains(["a1", "a2", "~m#1", "b1", "b2"]))
        #expect(logs.contains(["b1", "a1", "b2", "a2", "~m#1"]))
    }

    @Test func `a cause that does not post makes fewer schedules than predicted`() throws {
        let mailbox = SchedulePlan.Mailbox(name: "m", causes: [(lane: 0, position: 1)])
        let (logs, summary) = try logs(NumberWorld(.lanes(2, 2, mailboxes: [mailbox])))
        #expect(logs.count == 6)
        #expect(summary.isComplete)
        #expect(!summary.predicted.isExact)
    }

    @Test func `beyond the limit a seeded sample is drawn, the same for the same seed`() throws {
        let plan = SchedulePlan.lanes(6, 6, 6)
        let first = try logs(NumberWorld(plan), limit: 50, seed: 7, .random)
        let again = try logs(NumberWorld(plan), limit: 50, seed: 7, .random)
        let other = try logs(NumberWorld(plan), limit: 50, seed: 8, .random)
        #expect(first.summary.explored == 50)
        #expect(!first.summary.isComplete)
        #expect(first.summary.seed == 7)
        #expect(first.logs == again.logs)
        #expect(first.logs != other.logs)
        #expect(first.logs.allSatisfy { $0.count == 18 })
    }

    @Test func `the sample draws every interleaving of free lanes about equally often`() throws {
        let world = NumberWorld(.lanes(2, 2))
        var counts: [[String]: Int] = [:]
        var explorer = Explorer(plan: world.plan, limit: 5, seed: 3)
        explorer.strategy = .random
        for seed in 0..<600 {
            explorer.seed = UInt64(seed)
            _ = try explorer.explore(world) { (_: VisitedSchedule) throws(NumberWorld.Broken) in
                counts[world.log, default: 0] += 1
                return true
            }
        }
        #expect(counts.count == 6)
        #expect(counts.values.allSatisfy { (400...600).contains($0) })
    }

    @Test func `progress is reported at the interval, and a visitor can stop`() throws {
        let world = NumberWorld(.lanes(4, 4))
        var explorer = Explorer(plan: world.plan, limit: 1000)
        explorer.progressInterval = 30
        var told: [Explorer.Progress] = []
        _ = try explorer.explore(world, progress: { told.append($0) }) {
            (_: VisitedSchedule) throws(NumberWorld.Broken) in
            true
        }
        #expect(told.map(\.explored) == [30, 60])
        #expect(told.allSatisfy { $0.expected == 70 })
        var left = 5
        let summary = try explorer.explore(world) {
            (_: VisitedSchedule) throws(NumberWorld.Broken) in
            left -= 1
            return left > 0
        }
        #expect(summary.explored == 5)
        #expect(!summary.isComplete)
    }

    @Test func `a count that does not fit into a word is not predicted`() {
        #expect(Prediction.interleavings(of: [40, 40, 40]) == nil)
        #expect(Prediction.interleavings(of: [4, 4, 4]) == 34_650)
    }

    @Test func `orders that wait for each other are reported by name`() {
        let orders = [
            SchedulePlan.Order(lane: 0, position: 1, requiredLane: 1, requiredPosition: 0),
            SchedulePlan.Order(lane: 1, position: 0, requiredLane: 0, requiredPosition: 1),
        ]
        #expect(SchedulePlan.lanes(2, 1, orders: orders).stuckSteps == ["a2", "b1"])
        #expect(SchedulePlan.lanes(2, 1).stuckSteps.isEmpty)
    }

    @Test
    func `a step that requires a delivery of a later step of its session is reported by name`() {
        func plan(cause: (lane: Int, position: Int)) -> SchedulePlan {
            SchedulePlan(
                lanes: SchedulePlan.lanes(2, 1).lanes,
                deliveryOrders: [
                    .init(lane: 0, position: 0, delivery: "~m", source: (0, [cause]))
                ], mailboxes: [.init(name: "m", causes: [cause])])
        }
        #expect(plan(cause: (0, 1)).stuckSteps == ["a1", "a2"])
        #expect(plan(cause: (1, 0)).stuckSteps.isEmpty)
    }
}

@Suite struct TokenTests {
    @Test(arguments: [
        "lab1:mb-09@0123abcd:policy=error:f1.f2.~m(B1→V).~m(B1→V)#2.s1",
        "lab1:tour+cured@ffffffff:-:a1",
        "lab1:tour@ffffffff:-:", "lab1:tour@ffffffff:-:~b→view~c>d.~b→->view.~b→",
    ])
    func `a token is read back as it was printed`(text: String) throws {
        #expect(try ScheduleToken(text).description == text)
    }

    @Test func `deliveries may be typed without the arrow, and steps with spaces`() throws {
        let token = try ScheduleToken("lab1:t@01234567:-:a1 ~m(B1>V) ~m(B1->V)#2")
        #expect(token.steps == ["a1", "~m(B1→V)", "~m(B1→V)#2"])
    }

    @Test(arguments: ["~b>view~c>d", "~b->->view", "~a>b->c", "~->", "~b->", "~>x", "~b→c->d"])
    func `a token with several arrows in a step is read as it is printed`(step: String) throws {
        let token = try ScheduleToken("lab1:t@01234567:-:\(step)")
        #expect(try ScheduleToken(token.description) == token)
    }

    @Test(arguments: [
        "", "mb-09", "lab2:x@01234567:-:a", "lab1:x:-:a", "lab1:x@12:-:a", "lab1:x@01234567",
    ])
    func `a text that is not a token is refused with the reason`(text: String) {
        let error = #expect(throws: ScheduleToken.Malformed.self) { try ScheduleToken(text) }
        #expect(error?.instead.isEmpty == false)
    }
}

@Suite struct ReplayTests {
    @Test func `named steps run in the order of the token`() throws {
        let world = NumberWorld(.lanes(2, 2))
        let result = try Replay(plan: world.plan).run(["b1", "a1", "a2", "b2"], in: world)
        #expect(world.log == ["b1", "a1", "a2", "b2"])
        #expect(result.path == [1, 0, 0, 1])
        #expect(result.adaptations.isEmpty)
    }

    @Test func `a prefix continues with the remaining steps and says so`() throws {
        let world = NumberWorld(.lanes(2, 2))
        let result = try Replay(plan: world.plan).run(["b1"], in: world)
        #expect(world.log == ["b1", "a1", "a2", "b2"])
        #expect(result.adaptations == ["after the named steps it continued with a1 a2 b2"])
    }

    @Test func `an added step before a named one runs immediately before it`() throws {
        let plan = SchedulePlan(lanes: [
            .init(name: "a", steps: ["a1", "new", "a2"]), .init(name: "b", steps: ["b1"]),
        ])
        let world = NumberWorld(plan)
        let result = try Replay(plan: plan).run(["a1", "b1", "a2"], in: world)
        #expect(world.log == ["a1", "b1", "new", "a2"])
        #expect(
            result.adaptations == [
                "'new' ran before 'a2', which now follows 'new' in the scenario"
            ])
    }

    @Test func `a name that does not exist is skipped`() throws {
        let world = NumberWorld(.lanes(1, 1))
        let result = try Replay(plan: world.plan).run(["a1", "gone", "~m(A→B)", "b1"], in: world)
        #expect(world.log == ["a1", "b1"])
        #expect(result.adaptations.count == 2)
    }

    @Test func `a delivery runs in the position of its name`() throws {
        let mailbox = SchedulePlan.Mailbox(name: "m", causes: [(lane: 0, position: 0)])
        let world = NumberWorld(.lanes(1, 1, mailboxes: [mailbox]), posting: ["a1"])
        _ = try Replay(plan: world.plan).run(["a1", "~m#1", "b1"], in: world)
        #expect(world.log == ["a1", "~m#1", "b1"])
    }
}
