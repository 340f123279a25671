import Glibc
import LabSchedule
import Synchronization

/// Small seeded delays at the points where a schedule would switch threads. In each run, some
/// queues get longer delays, so that one queue sometimes lags far behind the others.
final class Delays: Sendable {
    enum Place: Hashable, Sendable {
        case queue(ObjectIdentifier)
        case event
    }

    private struct State {
        var generator: SeededGenerator
        /// The maximum delay at each point, in microseconds.
        var bounds: [Place: UInt32] = [:]
    }

    private let state: Mutex<State>

    init(seed: UInt64) { state = Mutex(State(generator: SeededGenerator(seed: seed))) }

    func wait(at place: Place) {
        let microseconds = state.withLock { state -> UInt32 in
            var generator = state.generator
            defer { state.generator = generator }
            let choices: [UInt32] = [0, 0, 30, 300, 3_000]
            let bound =
                state.bounds[place] ?? choices[Int.random(in: choices.indices, using: &generator)]
            state.bounds[place] = bound
            // Half of the delays are zero, so that the order of short steps also changes.
            if bound == 0 || Bool.random(using: &generator) { return 0 }
            return UInt32.random(in: 0...bound, using: &generator)
        }
        if microseconds > 0 { usleep(microseconds) }
    }
}
