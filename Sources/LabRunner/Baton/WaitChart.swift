/// The resources that each thread holds and waits for, after each choice of a schedule. The chart
/// shows how a deadlock arose. `BatonTurns` records it if a transcript is written.
struct WaitChart {
    struct Side: Equatable {
        let held: [String]
        /// The queue or lock for which the thread waits; nil if the thread can continue.
        let wanted: String?
        let holder: String?
        let inside: [String]

        init(_ runner: Baton.Runner) {
            held = runner.held.map(\.name)
            inside = runner.frames
            if case .waiting(let resource) = runner.state {
                wanted = resource.name
                holder = resource.holder?.name
            } else {
                wanted = nil
                holder = nil
            }
        }

        var wait: String? {
            wanted.map { "waits for \($0), which \(holder ?? "nobody") holds" }
        }

        fileprivate var text: String {
            let parts = held.isEmpty ? [] : ["holds \(held.joined(separator: ", "))"]
            return (parts + (wanted.map { ["waits for \($0)"] } ?? [])).joined(separator: ", ")
        }
    }

    private struct Moment {
        let step: String
        let lane: Int
        let sides: [Side]
    }

    let threads: [String]
    private var moments: [Moment] = []

    init(threads: [String]) { self.threads = threads }

    mutating func add(step: String, lane: Int, _ sides: [Side]) {
        moments.append(Moment(step: step, lane: lane, sides: sides))
    }

    var last: [Side] { moments.last?.sides ?? [] }

    /// The chart as text, with a column for each thread that took part and a row for each choice.
    /// Unchanged cells are empty.
    var lines: [String] {
        let columns = threads.indices.filter { column in
            moments.contains { $0.lane == column || $0.sides[column].wanted != nil }
        }
        var rows = [["threads"] + columns.map { threads[$0] }]
        var before: [Side] = []
        for moment in moments where moment.sides.map(\.text) != before.map(\.text) {
            rows.append(
                [moment.step]
                    + columns.map { column in
                        let text = moment.sides[column].text
                        return text.isEmpty && column == moment.lane ? "runs" : text
                    })
            before = moment.sides
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let ends = columns.compactMap { column in
            last[column].wait.map { "deadlock: \(threads[column]) \($0)" }
        }
        return rows.map { row in
            let cells = zip(row, widths).map { text, width in
                text + String(repeating: " ", count: width - text.count)
            }
            return Self.trimmed(cells.joined(separator: "  "))
        } + ends
    }

    private static func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
