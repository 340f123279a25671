/// Somebody who listens to the engine.
package protocol EventSink: AnyObject, Sendable {
    /// Whether statement events should carry their bound values.
    var wantsBindings: Bool { get }

    /// Whether fetches should be told with their statement, and with the rows that came back.
    var wantsRows: Bool { get }

    /// Whether statement events should carry their query plan, which costs a look-up for each.
    var wantsPlans: Bool { get }

    /// Takes one event, on the thread where it happened.
    func record(_ event: Event)
}

extension EventSink {
    package var wantsBindings: Bool { false }
    package var wantsRows: Bool { false }
    package var wantsPlans: Bool { false }
}

/// The point where the engine tells what it does: one per coordinator.
///
/// Costs one branch when nobody listens: callers test ``isOn`` before they build an event.
package final class Trace {
    /// Whether anybody listens.
    @inlinable package var isOn: Bool {
        @inline(__always) get { hasSinks }
    }
    // Unchecked because it is looked at for every object and statement.
    @exclusivity(unchecked) @usableFromInline var hasSinks = false
    package private(set) var wantsBindings = false
    package private(set) var wantsRows = false
    package private(set) var wantsPlans = false
    private var sinks: [any EventSink] = []

    package init() {}

    /// Adds a listener. Call it before other threads use what this trace belongs to.
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

// `@unchecked Sendable` because listeners are added and removed only while the stack is being
// set up or is at rest (the documented contract of `add` and `remove`); afterwards every field
// is read-only, and sinks are Sendable themselves.
extension Trace: @unchecked Sendable {}
