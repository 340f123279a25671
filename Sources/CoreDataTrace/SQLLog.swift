import Foundation

/// The log that `-com.apple.CoreData.SQLDebug 1` turns on, in Core Data's line format.
///
/// Coordinators add it to their traces; tools that read logs from Xcode can read this one. An
/// object id is shown with its key in the place where Core Data shows an address.
package final class SQLLog: EventSink {
    private let write: @Sendable (String) -> Void

    /// - Parameter write: takes one line without a line break, from any thread.
    package init(write: @escaping @Sendable (String) -> Void = SQLLog.writeToStandardError) {
        self.write = write
    }

    /// Writes a line to the standard error, in one piece.
    @Sendable package static func writeToStandardError(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
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
        case .fault, .relationshipFault, .enqueue, .wait, .acquire, .release, .saveStep, .merge,
            .conflict:
            // Nothing that touches the database: Core Data's log is silent about them.
            break
        }
    }

    private func record(_ statement: StatementEvent) {
        write("CoreData: sql: \(statement.sql)")
        switch statement.kind {
        case .select:
            annotate("sql connection fetch time: \(seconds(statement.nanoseconds))")
        case .insert, .update, .delete:
            annotate("sql execution time: \(seconds(statement.nanoseconds))")
        case .begin, .commit, .rollback, .pragma, .schema, .other:
            break
        }
    }

    private func annotate(_ text: String) { write("CoreData: annotation: \(text)") }

    private func text(_ object: ObjectName) -> String {
        let number = object.key.magnitude
        let path = (object.key < 0 ? "t" : "p") + String(number)
        let address = "0x" + String(number, radix: 16)
        return "\(address) <x-coredata://\(object.store)/\(object.entity)/\(path)>"
    }

    /// Seconds with four decimals, rounded.
    private func seconds(_ nanoseconds: UInt64) -> String {
        let tenths = (nanoseconds + 50_000) / 100_000
        let decimals = String(tenths % 10_000)
        let zeros = String(repeating: "0", count: 4 - decimals.count)
        return "\(tenths / 10_000).\(zeros)\(decimals)s"
    }
}
