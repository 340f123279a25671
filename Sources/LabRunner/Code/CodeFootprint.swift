import CoreDataTrace
import LabSchedule

/// Collects what a slice of a lane touches.
///
/// An event may come a slice after what it tells of, so all that a store holds is one thing, as in
/// baton mode, and a slice has what the slices before it in its item have touched.
final class CodeFootprint {
    private(set) var collected = Footprint()
    /// Whether anybody wants it.
    var isCollecting = false

    /// Begins a slice.
    func begin(_ carried: Footprint) { collected = carried }

    func touch(_ resource: Resource, _ access: Footprint.Access) {
        if isCollecting { collected.add(resource.number, access) }
    }

    func note(_ use: Baton.Use, of resource: String) {
        switch use {
        case .contends: touch(.lock(resource), .write)
        case .handsOver(let time): touch(.handOver(resource, time), .provide)
        case .takesOver(let time): touch(.handOver(resource, time), .require)
        }
    }

    func record(_ event: Event) {
        guard isCollecting else { return }
        switch event {
        case .statement(let statement):
            let isRead = statement.kind == .select
            touch(.store, isRead ? .read : .write)
            // What it read is known to those who look after it. Who is first does not matter.
            touch(.knownRows, isRead ? .add : .write)
        case .fault, .relationshipFault:
            touch(.store, .read)
            touch(.knownRows, .read)
        // Whoever asks for a lock has looked for a row and not found it.
        case .wait: touch(.knownRows, .read)
        case .fetch, .count, .prefetch, .merge, .rows: touch(.store, .read)
        case .enqueue, .acquire, .release, .saveStep, .conflict, .annotation: break
        }
    }
}
