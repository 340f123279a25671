import ContextHistory
import CoreDataEngine
import CoreDataStore

/// Records the effects of a save: names, rows, history and deliveries. This normally happens at the
/// end of the save. If an observer of the save performs actions, `run()` is called before them, and
/// the call at the end has no effect.
final class SaveEnding {
    private let recording: SaveRecording
    private let context: LabContext
    private let world: LabWorld
    private var isOver = false
    /// The error if the store could not be read after the save.
    private(set) var failure: CoreDataError?

    init(_ recording: SaveRecording, of context: LabContext, in world: LabWorld) {
        self.recording = recording
        self.context = context
        self.world = world
    }

    func run() {
        if isOver { return }
        isOver = true
        recording.renameInserted()
        context.named.removeAll()
        do throws(CoreDataError) {
            if context.plan.parent == nil {
                let before = world.watch.mirror
                try world.watch.readMirror()
                world.touchChanges(since: before)
            }
            world.watch.isLooking = true
            defer { world.watch.isLooking = false }
            world.recorder.record(.saved(try recording.finished()))
        } catch {
            failure = error
            return
        }
        world.post(recording.keys(), by: context)
    }
}
