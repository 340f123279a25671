import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation
import LabCheck

/// What steps leave behind by name in one schedule: what objects are called, how steps have ended,
/// and what they have read. Worlds of several threads share one, so a lock guards it.
final class Notes {
    private let layout: ModelLayout
    /// Whether a thread may meet an object before the one that inserts it has told its name.
    private let isShared: Bool
    private let lock = NSLock()
    private var names: NameTable
    private var ended: [String: ObservedValue] = [:]
    private var bound: [String: ObservedValue] = [:]
    /// Names that were made up for objects whose inserting thread had not told theirs yet.
    private var newNames: [String: String] = [:]

    init(layout: ModelLayout, isShared: Bool = false) {
        self.layout = layout
        self.isShared = isShared
        names = NameTable(layout: layout)
    }

    /// A schedule begins.
    ///
    /// - Parameter setup: the objects that there are, by their names.
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

    /// Gives an object the name that the file has for it.
    func name(_ key: ObjectKey, as wanted: String) -> ObjectName {
        lock.withLock { names.name(key, wanted) }
    }

    func alias(_ key: ObjectKey) -> String { name(key).alias }

    /// The object has got another key.
    func move(_ old: ObjectKey, to new: ObjectKey) {
        lock.withLock {
            if !isShared { return names.move(old, to: new) }
            if let (made, given) = names.unite(old, new) { newNames[made] = given }
        }
    }

    /// A value with the names that objects have got since it was read.
    func renamed(_ value: ObservedValue) -> ObservedValue {
        switch value {
        case .object(let name): .object(lock.withLock { newNames[name] } ?? name)
        case .list(let values): .list(values.map { renamed($0) })
        default: value
        }
    }

    // MARK: Steps

    /// How each step has ended, by its name.
    var statuses: [String: ObservedValue] { lock.withLock { ended } }

    /// What the last step that bound a name has read.
    var values: [String: ObservedValue] { lock.withLock { bound } }

    /// How a step has ended, if it has.
    func status(of step: String) -> ObservedValue? { lock.withLock { ended[step] } }

    func note(_ status: ObservedValue, of step: String) { lock.withLock { ended[step] = status } }

    /// Keeps what a step has bound to a name.
    func keep(_ value: ObservedValue, as name: String) { lock.withLock { bound[name] = value } }
}
