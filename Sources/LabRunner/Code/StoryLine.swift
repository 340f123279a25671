import LabCheck
import LabResults

/// One line about the operations of a schedule's threads.
struct StoryLine {
    /// The choice of the schedule to which the line belongs, from 0.
    let slice: Int
    let lane: String
    /// The context of the operation; empty if the operation has no context.
    let context: String
    let text: String
    /// Whether the line adds a detail to the line above it.
    let isDetail: Bool
    /// The position in the program; nil for a detail.
    let stack: CallStack?
}

/// The operations of a schedule, ready to be printed.
struct ToldStory {
    var lines: [String] = []
    /// The call stacks of threads that wait for each other for ever.
    var waits: [String] = []
    var policies: [String] = []
    var cycles: [Cycle] = []
    var losses: [Timeline.Loss?] = []
    var timeline: Timeline?
}
