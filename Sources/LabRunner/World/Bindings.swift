import Foundation

/// The values that a context's steps have bound to names. Steps of other contexts may read them on
/// another thread, so a lock guards them.
final class Bindings {
    private let lock = NSLock()
    private var bound: [String: LabContext.Binding] = [:]

    subscript(name: String) -> LabContext.Binding? {
        get { lock.withLock { bound[name] } }
        set { lock.withLock { bound[name] = newValue } }
    }

    func removeAll() { lock.withLock { bound = [:] } }
}
