import LabResults

/// One line of what the threads of a schedule did.
struct StoryLine {
    /// The choice of the schedule that it belongs to, from 0.
    let slice: Int
    /// The thread that did it.
    let lane: String
    /// The context that it is about; empty where it is about none.
    let context: String
    let text: String
    /// Whether it tells more about the line above it.
    let isDetail: Bool
    /// Where the program was; nil for a detail.
    let stack: CallStack?
}

/// What a schedule did, ready to be printed.
struct ToldStory {
    /// Thread, context, what it did, and the place in the program's own code.
    var lines: [String] = []
    /// The call stacks of threads that wait for each other for ever.
    var waits: [String] = []
    /// The merge policies of contexts that saved, as Swift spells them.
    var policies: [String] = []
    var timeline: Timeline?
}
