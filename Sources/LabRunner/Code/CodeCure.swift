/// What became of the sessions of an exploration that failed, with one thing changed.
///
/// The change is made from outside, to every context that the code makes; the code itself stays.
public struct CodeCure: Sendable, CustomStringConvertible {
    /// What was changed, as a program would write it; the first is the code as it is.
    public let name: String
    /// How many schedules have run.
    public internal(set) var schedules = 0
    /// Whether they stand for all.
    public internal(set) var isComplete = false
    /// In how many of them something was lost, threw, waited for ever or was misused.
    public internal(set) var failing = 0
    /// In how many of those that failed a save was refused, which tells the session of it.
    public internal(set) var refused = 0
    /// Why it was not tried; nil where it was.
    public internal(set) var notTried: String?

    /// So many drawn schedules without a failure count for something.
    private static let tellingCount = 50

    /// Whether nothing failed, in all schedules or in enough of them.
    public var helps: Bool {
        notTried == nil && failing == 0 && (isComplete || schedules >= Self.tellingCount)
    }

    /// What came of it.
    public var result: String {
        if let notTried { return "not tried: \(notTried)" }
        let all = isComplete ? "\(schedules)" : "\(schedules) tried"
        let text = "\(failing) of \(all) schedules fail"
        if failing == 0 { return helps ? text : text + ", too few to tell" }
        if refused == 0 { return text }
        return text + ", \(refused == failing ? "each" : "\(refused)") with a save that is refused"
    }

    /// The name and what came of it.
    public var description: String { "\(name): \(result)" }
}
