import CoreDataEngine
import CoreDataModel
import CoreDataStore
import LabCheck

/// Looks at the store beside the steps of a schedule, and keeps what the lab itself asks there from
/// those who listen to steps. Worlds have one each.
final class StoreWatch {
    /// Whether each save is compared with the store before and after it. Beside other threads
    /// there is no moment to look.
    let keepsHistory: Bool
    /// The rows as they were when the store was looked at last.
    private(set) var mirror = StoreMirror()
    private let store: StoreStage
    private let layout: ModelLayout
    private let notes: Notes
    private let meter: CostMeter?

    /// Keeps the SQL of steps, while somebody wants it.
    weak var log: StatementLog?
    /// Told when the lab begins to look, and when it stops.
    var onLook: (Bool) -> Void = { _ in }
    /// The lab itself looks at contexts and store, which is no part of the schedule.
    var isLooking = false {
        didSet {
            log?.isPaused = isLooking
            onLook(isLooking)
        }
    }

    /// - Parameter meter: counts what steps cost, and nothing while the lab reads.
    init(
        _ store: StoreStage, layout: ModelLayout, notes: Notes, meter: CostMeter?,
        keepsHistory: Bool
    ) {
        self.store = store
        self.layout = layout
        self.notes = notes
        self.meter = meter
        self.keepsHistory = keepsHistory
    }

    /// Reads all rows anew.
    func readMirror() throws(CoreDataError) {
        guard keepsHistory else { return }
        meter?.isPaused = true
        defer { meter?.isPaused = false }
        isLooking = true
        defer { isLooking = false }
        mirror = try StoreMirror.read(store, layout: layout, name: notes.alias)
    }

    /// The named rows of the setup, as they are now.
    func describe(_ setup: [String: ObjectKey]) -> [String] {
        setup.sorted { $0.key < $1.key }.compactMap { name, key in
            guard let row = mirror[key] else { return nil }
            let keys = layout[Int(key.entity)].values.map(\.name)
            let values = zip(keys, row.values).map { "\($0) = \($1.quoted)" }
            return "\(name) is version \(row.version): \(values.joined(separator: ", "))"
        }
    }
}
