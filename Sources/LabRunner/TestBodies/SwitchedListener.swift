import CoreDataStore
import CoreDataTrace
import Synchronization

/// Receives the events of a test's coordinator, on behalf of the current schedule or run.
final class SwitchedListener: EventSink {
    private struct Binding {
        weak var stage: CodeStage?
        let listener: CodeListener
    }

    // Unchecked because the lock guards the variable.
    private nonisolated(unsafe) var binding: Binding?
    private let lock = Mutex(())
    /// Unowned, because the coordinator owns this listener.
    private unowned let coordinator: NSPersistentStoreCoordinator

    /// - Parameter stage: the stage whose thread has created the coordinator.
    init(_ coordinator: NSPersistentStoreCoordinator, madeBy stage: CodeStage?) {
        self.coordinator = coordinator
        binding = stage.map { Binding(stage: $0, listener: $0.makeListener(for: coordinator)) }
    }

    // Stories print the fetched rows.
    var wantsRows: Bool { true }

    func record(_ event: Event) {
        if let listener = scheduled {
            listener.record(event)
            CodeStage.current?.story?.sink.record(event)
            return
        }
        LiveRun.active?.hear(event)
    }

    private var scheduled: CodeListener? {
        let stage = CodeStage.current.flatMap { $0.switches == nil ? nil : $0 }
        return lock.withLock { _ in
            guard let stage else {
                // If a schedule runs now, the calling thread is a foreign thread.
                guard let owner = binding?.stage, owner.isOpen else { return nil }
                return binding?.listener
            }
            if let binding, binding.stage === stage { return binding.listener }
            let made = stage.makeListener(for: coordinator)
            binding = Binding(stage: stage, listener: made)
            return made
        }
    }
}
