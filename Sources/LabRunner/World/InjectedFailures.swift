import CoreDataStore
import LabScenario
import Synchronization

// Failures that steps request. Each failure happens once, at a named point of a stack. Before a
// world observes the end of a schedule, it removes failures that have not happened.
extension NSPersistentStoreCoordinator {
    /// Makes the next operation that reaches this point fail there.
    func fail(at point: FailurePoint) {
        let earlier = faultPoints.handler
        let failure = OpenFailure()
        faultPoints.handler = { reached throws(CoreDataError) in
            try earlier?(reached)
            guard reached.rawValue == point.rawValue, failure.take() else { return }
            throw CoreDataError(
                .storeOperation, "The scenario has this fail at '\(point.rawValue)'.")
        }
    }

    func failNoMore() { faultPoints.handler = nil }
}

/// A flag that makes an operation fail only once.
private final class OpenFailure: Sendable {
    private let isOpen = Mutex(true)

    func take() -> Bool {
        isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
    }
}
