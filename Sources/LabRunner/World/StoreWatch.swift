import ContextHistory
import CoreDataEngine
import CoreDataModel
import CoreDataStore

/// Reads the store between the steps of a schedule. Hides the lab's queries from the sinks that
/// observe steps. Each world has one.
final class StoreWatch {
    /// Whether the store is compared before and after each save. This is impossible while other
    /// threads write.
    let keepsHistory: Bool
    private(set) var mirror = StoreMirror()
    private let store: StoreStage
    private let layout: ModelLayout
    private let notes: ScheduleNotes
    private let meter: CostMeter?

    weak var log: StatementLog?
    /// Called when the lab starts to read, and when it stops.
    var onLook: (Bool) -> Void = { _ in }
    /// Whether the lab itself reads contexts and the store. These reads are not part of the
    /// schedule.
    var isLooking = false {
        didSet {
            log?.isPaused = isLooking
            onLook(isLooking)
        }
    }

    /// - Parameter meter: counts the costs of steps; paused while the lab reads.
    init(
        _ store: StoreStage, layout: ModelLayout, notes: ScheduleNotes, meter: CostMeter?,
        keepsHistory: Bool
    ) {
        self.store = store
        self.layout = layout
        self.notes = notes
        self.meter = meter
        self.keepsHistory = keepsHistory
    }

    func readMirror() throws(CoreDataError) {
        guard keepsHistory else { return }
        meter?.isPaused = true
        defer { meter?.isPaused = false }
        isLooking = true
        defer { isLooking = false }
        mirror = try StoreMirror.read(store, layout: layout, name: notes.alias)
    }

    func describe(_ setup: [String: ObjectKey]) -> [String] {
        setup.sorted { $0.key < $1.key }.compactMap { name, key in
            guard let row = mirror[key] else { return nil }
            let keys = layout[Int(key.entity)].values.map(\.name)
            let values = zip(keys, row.values).map { "\($0) = \($1.quoted)" }
            return "\(name) is version \(row.version): \(values.joined(separator: ", "))"
        }
    }
}
