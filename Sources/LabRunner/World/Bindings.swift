import Foundation

/// What names stand for in one context. Its steps bind names, and steps of other contexts may ask
/// for them from another thread, so a lock guards it.
final class Bindings {
    private let lock = NSLock()
    private var bound: [String: LabContext.Binding] = [:]

    subscript(name: String) -> LabContext.Binding? {
        get { lock.withLock { bound[name] } }
        set { lock.withLock { bound[name] = newValue } }
    }

    func removeAll() { lock.withLock { bound = [:] } }
}
