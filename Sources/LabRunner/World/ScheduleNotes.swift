import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation

/// The named results of one schedule: the names of objects, the statuses of steps, and the values
/// that steps have read. Worlds of several threads share one instance, so a lock guards it.
final class ScheduleNotes {
    private let layout: ModelLayout
    /// Whether a thread may use an object before the thread that inserts the object has named it.
    private let isShared: Bool
    private let lock = NSLock()
    private var names: NameTable
    private var ended: [String: ObservedValue] = [:]
    private var bound: [String: ObservedValue] = [:]
    /// The final names of objects for which another thread had created a name first.
    private var newNames: [String: String] = [:]

    init(layout: ModelLayout, isShared: Bool = false) {
        self.layout = layout
        self.isShared = isShared
        names = NameTable(layout: layout)
    }

    /// - Parameter setup: the objects of the setup, by their names.
    func begin(_ setup: [String: ObjectKey]) {
        lock.withLock {
            names = NameTable(layout: layout)
            for (name, key) in setup.sorted(by: { $0.key < $1.key }) { _ = names.name(key, name) }
            ended = [:]
            bound = [:]
            newNames = [:]
        }
    }

    // MARK: Objects

    func name(_ key: ObjectKey) -> ObjectName { lock.withLock { names.name(key) } }

    func name(_ key: ObjectKey, as wanted: String) -> ObjectName {
        lock.withLock { names.name(key, wanted) }
    }

    func alias(_ key: ObjectKey) -> String { name(key).alias }

    func move(_ old: ObjectKey, to new: ObjectKey) {
        lock.withLock {
            if !isShared { return names.move(old, to: new) }
            if let (made, given) = names.unite(old, new) { newNames[made] = given }
        }
    }

    /// Returns a value in which objects have their current names. The names may have changed since
    /// the value was read.
    func renamed(_ value: ObservedValue) -> ObservedValue {
        switch value {
        case .object(let name): .object(lock.withLock { newNames[name] } ?? name)
        case .list(let values): .list(values.map { renamed($0) })
        default: value
        }
    }

    // MARK: Steps

    var statuses: [String: ObservedValue] { lock.withLock { ended } }

    var values: [String: ObservedValue] { lock.withLock { bound } }

    /// The status of a step; nil if the step has not ended.
    func status(of step: String) -> ObservedValue? { lock.withLock { ended[step] } }

    func note(_ status: ObservedValue, of step: String) { lock.withLock { ended[step] = status } }

    func keep(_ value: ObservedValue, as name: String) { lock.withLock { bound[name] = value } }
}
