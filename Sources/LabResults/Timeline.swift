/// The data for drawing a schedule: lanes (contexts, mailboxes, stores and threads), their contents
/// before the first step, and the steps. Report pages draw it.
package struct Timeline: Codable, Sendable, Hashable {
    /// A column of the drawing: a context, mailbox, store or thread.
    package struct Lane: Codable, Sendable, Hashable {
        package enum Kind: String, Codable, Sendable, CaseIterable {
            case context
            case mailbox
            case store
            /// A thread of baton mode, with the queues and locks that it holds or waits for.
            case thread
        }

        package var kind: Kind
        package var name: String
        /// Additional text, such as the queue and the merge policy of a context.
        package var detail: String

        package init(_ kind: Kind, _ name: String, detail: String = "") {
            self.kind = kind
            self.name = name
            self.detail = detail
        }
    }

    /// An item in a lane: an object, a row, or an entry of a mailbox.
    package struct Item: Codable, Sendable, Hashable {
        package var name: String
        /// The state of the item, such as `fault` or `version 2, changed`.
        package var mark: String
        /// The values of the item, such as `balance = 20`.
        package var values: [String]

        package init(_ name: String, mark: String, values: [String] = []) {
            self.name = name
            self.mark = mark
            self.values = values
        }
    }

    /// The contents of a lane after a step that changed it.
    package struct Change: Codable, Sendable, Hashable {
        package var lane: Int
        package var items: [Item]

        package init(lane: Int, items: [Item]) {
            self.lane = lane
            self.items = items
        }
    }

    /// A statement of a step in the step language, or a line of its result.
    package struct Line: Codable, Sendable, Hashable {
        package var text: String
        package var isDetail: Bool

        package init(_ text: String, isDetail: Bool = false) {
            self.text = text
            self.isDetail = isDetail
        }
    }

    /// The share of losing schedules among those that begin with the same steps.
    package struct Loss: Codable, Sendable, Hashable {
        package var share: Double
        /// The bounds of the 99 % interval; nil if the share is exact.
        package var low: Double?
        package var high: Double?

        package init(share: Double, low: Double? = nil, high: Double? = nil) {
            self.share = share
            self.low = low
            self.high = high
        }

        /// A bar and a percentage, with `~` if the share is an estimate.
        package var text: String {
            let filled = share <= 0 ? 0 : max(1, Int((share * 5).rounded(.down)))
            let bar =
                String(repeating: "█", count: filled) + String(repeating: "░", count: 5 - filled)
            let number = (low == nil ? "" : "~") + "\(Self.percent(share)) %"
            return bar + String(repeating: " ", count: max(1, 7 - number.count)) + number
        }

        /// The interval in words; nil if the share is exact.
        package var interval: String? {
            guard let low, let high else { return nil }
            return "between \(Self.percent(low)) % and \(Self.percent(high)) %, with 99 %"
                + " confidence"
        }

        /// Only an exact 0 or 1 is shown as 0 or 100.
        private static func percent(_ share: Double) -> Int {
            if share <= 0 { return 0 }
            return share > 1 - 1e-9 ? 100 : min(99, max(1, Int((share * 100).rounded())))
        }
    }

    /// One step of the schedule.
    package struct Step: Codable, Sendable, Hashable {
        package var name: String
        /// The index of the lane of the context that executed the step.
        package var lane: Int
        /// The session that contains the step; nil for a delivery.
        package var session: String?
        package var lines: [Line]
        package var sql: [String]
        package var changes: [Change]
        /// The share of losing schedules after this step, if it was requested.
        package var loss: Loss?

        package init(
            name: String, lane: Int, session: String? = nil, lines: [Line], sql: [String],
            changes: [Change]
        ) {
            self.name = name
            self.lane = lane
            self.session = session
            self.lines = lines
            self.sql = sql
            self.changes = changes
        }
    }

    package var lanes: [Lane]
    package var start: [[Item]]
    package var steps: [Step]

    package init(lanes: [Lane], start: [[Item]], steps: [Step]) {
        self.lanes = lanes
        self.start = start
        self.steps = steps
    }
}

extension Timeline {
    /// Adds to each step the share of losing schedules.
    ///
    /// - Parameter losses: the shares before the first step and after each step.
    package mutating func add(_ losses: [Loss?]) {
        for index in steps.indices where losses.indices.contains(index + 1) {
            steps[index].loss = losses[index + 1]
        }
    }

    /// Decodes a timeline and checks its lane indices. Report pages use them without a check.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let lanes = try values.decode([Lane].self, forKey: .lanes)
        let start = try values.decode([[Item]].self, forKey: .start)
        guard start.count == lanes.count else {
            throw DecodingError.dataCorruptedError(
                forKey: .start, in: values,
                debugDescription: "\(start.count) of \(lanes.count) lanes have a start state")
        }
        let steps = try values.decode([Step].self, forKey: .steps)
        let used = steps.flatMap { step in [step.lane] + step.changes.map(\.lane) }
        if let unknown = used.first(where: { !lanes.indices.contains($0) }) {
            throw DecodingError.dataCorruptedError(
                forKey: .steps, in: values,
                debugDescription: "a step names lane \(unknown) of \(lanes.count)")
        }
        self.init(lanes: lanes, start: start, steps: steps)
    }
}
