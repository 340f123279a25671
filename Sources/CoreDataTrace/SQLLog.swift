import Foundation

/// The log that `-com.apple.CoreData.SQLDebug` turns on, in Core Data's line format, so tools for
/// logs from Xcode can read it.
///
/// Level 1 shows statements, times, faults and prefetches. Level 2 adds bound values, and the
/// statement and row count of each fetch. Level 3 adds the IDs of the fetched rows, and level 4 the
/// query plans. In place of Core Data's addresses, this log prints the key of the object or a hash
/// of the SQL text.
package final class SQLLog: EventSink {
    /// The highest level; higher numbers have the same effect.
    package static let levelMax = 4

    private let level: Int
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - level: from 1 to ``levelMax``.
    ///   - write: receives each complete entry, on any thread. From level 3 on, an entry may have
    /// several lines.
    package init(
        level: Int = 1, write: @escaping @Sendable (String) -> Void = SQLLog.writeToStandardError
    ) {
        self.level = level
        self.write = write
    }

    package var wantsBindings: Bool { level >= 2 }
    package var wantsRows: Bool { level >= 2 }
    package var wantsPlans: Bool { level >= 4 }

    @Sendable package static func writeToStandardError(_ line: String) {
        StandardStream.log(line + "\n")
    }

    package func record(_ event: Event) {
        switch event {
        case .statement(let statement):
            record(statement)
        case .fetch(_, let rows, let nanoseconds):
            annotate("total fetch execution time: \(seconds(nanoseconds)) for \(rows) rows.")
        case .count(_, let count, let nanoseconds):
            let time = seconds(nanoseconds)
            annotate("total count request execution time: \(time) for count of \(count).")
        case .rows(let rows): record(rows)
        case .fault(let object, .store):
            annotate("fault fulfilled from database for : \(text(object))")
        case .relationshipFault(let object, let relationship, let rows, .store):
            annotate(
                "to-many relationship fault \"\(relationship)\" for objectID \(text(object)) "
                    + "fulfilled from database.  Got \(rows) rows")
        case .prefetch(let keyPath, let rows):
            annotate("Prefetching with key '\(keyPath)'.  Got \(rows) rows.")
        case .annotation(let text):
            annotate(text)
        case .fault, .noRow, .relationshipFault, .enqueue, .wait, .attempt, .acquire, .release,
            .saveStep, .merge, .conflict, .stores:
            // Core Data's log omits these events, which do not access the database.
            break
        }
    }

    private func record(_ statement: StatementEvent) {
        write("CoreData: sql: \(statement.sql)")
        if level >= 2 {
            for (index, value) in statement.bindings.enumerated() {
                write("CoreData: details: SQLite bind[\(index)] = \(value)")
            }
        }
        switch statement.kind {
        case .select:
            annotate("sql connection fetch time: \(seconds(statement.nanoseconds))")
        case .insert, .update, .delete:
            annotate("sql execution time: \(seconds(statement.nanoseconds))")
        case .begin, .commit, .rollback, .pragma, .schema, .other:
            break
        }
        if level >= 4, !statement.plan.isEmpty {
            let lines = ["EXPLAIN QUERY PLAN \(statement.sql)"] + statement.plan
            write("CoreData: details: SQLite: " + lines.joined(separator: "\n"))
        }
    }

    private func record(_ rows: RowsEvent) {
        guard level >= 2 else { return }
        let hash = rows.sql.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        var line =
            "fetch using NSSQLiteStatement <0x\(String(hash, radix: 16))> on entity "
            + "'\(rows.entity)' with sql text '\(rows.sql)' returned \(rows.objects.count) rows"
        if level >= 3 {
            let values = rows.objects.map { object in
                let address = "0x" + String(object.key.magnitude, radix: 16)
                return "    \"<\(object.entity): \(address)> (entity: \(object.entity); "
                    + "id: \(text(object)); data: <fault>)\""
            }
            line += " with values: (\n\(values.joined(separator: ",\n"))\n)"
        }
        annotate(line)
    }

    private func annotate(_ text: String) { write("CoreData: annotation: \(text)") }

    private func text(_ object: ObjectName) -> String {
        let number = object.key.magnitude
        let path = (object.key < 0 ? "t" : "p") + String(number)
        let address = "0x" + String(number, radix: 16)
        return "\(address) <x-coredata://\(object.store)/\(object.entity)/\(path)>"
    }

    /// Seconds, rounded to four decimals.
    private func seconds(_ nanoseconds: UInt64) -> String {
        let tenths = (nanoseconds + 50_000) / 100_000
        let decimals = String(tenths % 10_000)
        let zeros = String(repeating: "0", count: 4 - decimals.count)
        return "\(tenths / 10_000).\(zeros)\(decimals)s"
    }
}
