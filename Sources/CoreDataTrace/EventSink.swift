/// A listener to the engine's events.
package protocol EventSink: AnyObject, Sendable {
    /// Whether statement events should contain their bound values.
    var wantsBindings: Bool { get }

    /// Whether fetches should be recorded with their statement and their rows.
    var wantsRows: Bool { get }

    /// Whether statement events should contain their query plan, which costs one more query each.
    var wantsPlans: Bool { get }

    /// Receives an event, on the thread on which it occurred.
    func record(_ event: Event)
}

extension EventSink {
    package var wantsBindings: Bool { false }
    package var wantsRows: Bool { false }
    package var wantsPlans: Bool { false }
}

/// Distributes a coordinator's events to its listeners.
///
/// Without listeners an event costs one branch, because callers test ``isOn`` before they build it.
package final class Trace {
    /// Whether there are any listeners.
    @inlinable package var isOn: Bool {
        @inline(__always) get { hasSinks }
    }
    // Exclusivity is unchecked, because the flag is read for every object and every statement.
    @exclusivity(unchecked) @usableFromInline var hasSinks = false
    package private(set) var wantsBindings = false
    package private(set) var wantsRows = false
    package private(set) var wantsPlans = false
    private var sinks: [any EventSink] = []

    package init() {}

    /// Adds a listener. Call this method before other threads use the coordinator.
    package func add(_ sink: any EventSink) {
        sinks.append(sink)
        refresh()
    }

    package func remove(_ sink: any EventSink) {
        sinks.removeAll { $0 === sink }
        refresh()
    }

    package func record(_ event: Event) {
        for sink in sinks { sink.record(event) }
    }

    private func refresh() {
        hasSinks = !sinks.isEmpty
        wantsBindings = sinks.contains { $0.wantsBindings }
        wantsRows = sinks.contains { $0.wantsRows }
        wantsPlans = sinks.contains { $0.wantsPlans }
    }
}

// `@unchecked Sendable` because listeners are added and removed only while the coordinator and its
// contexts are not in use, as `add` requires. Otherwise every field is only read, and sinks are
// Sendable.
extension Trace: @unchecked Sendable {}
