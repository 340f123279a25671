/// The reason why an exploration of code ended without a verdict.
enum CodeError: Error, CustomStringConvertible {
    /// The body, the set-up of a session, or the lab's store failed before a schedule began.
    case unusable(String)
    /// A thread that the lab did not create used the Core Data stack, or a session waited for such
    /// a thread.
    case outside(String)
    case endless(String)
    /// A checking schedule has a result that the exploration missed. The value describes the
    /// result.
    case notAll(String)
    /// A thread of a schedule runs endlessly, or waits for an event that the lab does not know.
    case stuck(String)
    /// Two runs of one schedule differ.
    case notDeterministic(String)
    /// Two runs of one schedule differ. In this program, a thread that the lab did not create has
    /// ended a wait.
    case foreignTurn(String, wait: String)

    var description: String {
        switch self {
        case .unusable(let why): why
        case .outside(let what), .stuck(let what):
            "\(what). The lab runs sessions, contexts' blocks and tasks; run the work of the"
                + " thread as its own session (lab.session), a block of a context or a task, or"
                + " pass lab.queue(\"…\") for a Dispatch queue and lab.operationQueue() for an"
                + " operation queue"
        case .endless(let what):
            "\(what)\nA schedule ends when its sessions, tasks, blocks and timers have ended: bound"
                + " code that polls or repeats, or let it wait for the event"
        case .notAll(let what):
            "\(what). Either sessions share state that the lab does not see, such as a variable or"
                + " a file: explore them with strategy: .exhaustive or .bounded(2). Or the lab's"
                + " reduction is wrong, which is a bug of Faultline: report it with this message"
        case .foreignTurn(let place, let wait):
            "not deterministic: \(place). A thread that the lab did not create has ended a wait"
                + " (\(wait)) at a moment that no schedule decides: resume"
                + " continuations and signal semaphores on a Dispatch queue, in a task or in a"
                + " block of a context"
        case .notDeterministic(let place):
            "not deterministic: \(place). Time, random numbers, the order of a Set or state that"
                + " outlives a schedule make two runs of one schedule differ; give the code a fixed"
                + " clock and seed, sort the elements of sets, create state inside the body, and"
                + " revert other effects in lab.tearDown { … }. The order of a Set differs from"
                + " process to process, unless SWIFT_DETERMINISTIC_HASHING=1 is set"
        }
    }
}
