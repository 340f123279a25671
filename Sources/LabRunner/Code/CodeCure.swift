/// The result of running the sessions of a failed exploration again with one change.
///
/// The lab applies the change to the contexts or sessions at run time, without editing the code.
public struct CodeCure: Sendable, CustomStringConvertible {
    /// The name of the change, spelled as in Swift code. The first cure of a failure is the
    /// unchanged code.
    public let name: String
    /// The number of schedules that have run.
    public internal(set) var schedules = 0
    /// Whether the schedules that ran represent all schedules.
    public internal(set) var isComplete = false
    /// The number of schedules that lost a value, threw an error, waited for ever or misused an
    /// object.
    public internal(set) var failing = 0
    /// The number of failing schedules in which a session received an error because a save was
    /// refused.
    public internal(set) var refused = 0
    /// The reason why the change was not tried; nil if it was tried.
    public internal(set) var notTried: String?

    private static let tellingCount = 50

    /// Whether no schedule failed, and all schedules or a sufficient number of them ran.
    public var helps: Bool {
        notTried == nil && failing == 0 && (isComplete || schedules >= Self.tellingCount)
    }

    /// A sentence about the result of the change.
    public var result: String {
        if let notTried { return "not tried: \(notTried)" }
        let all = isComplete ? "\(schedules)" : "\(schedules) tried"
        let text = "\(failing) of \(all) schedules fail"
        if failing == 0 { return helps ? text : text + ", too few to tell" }
        if refused == 0 { return text }
        return text + ", \(refused == failing ? "each" : "\(refused)") with a save that is refused"
    }

    /// The name of the change and its result.
    public var description: String { "\(name): \(result)" }
}
