/// Why an exploration of code came to no verdict.
enum CodeError: Error, CustomStringConvertible {
    /// The body, a session's set-up or the lab's store failed before anything ran.
    case unusable(String)
    /// A thread that the lab did not make touched a stack, or was waited for.
    case outside(String)
    /// Two runs of one schedule differ.
    case notDeterministic(String)

    var description: String {
        switch self {
        case .unusable(let why): why
        case .outside(let what):
            "\(what). The lab runs sessions, contexts' blocks and tasks; make what the thread does"
                + " a session of its own (lab.session), a block of a context or a task, or give the"
                + " code lab.queue(\"…\") for its Dispatch queue and lab.operationQueue() for its"
                + " operation queue"
        case .notDeterministic(let place):
            "not deterministic: \(place). Time, random numbers, the order of a Set or state that"
                + " outlives a schedule make two runs of one schedule differ; give the code a fixed"
                + " clock and seed, sort what comes from sets, and make state inside the body"
        }
    }
}
