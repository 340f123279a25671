import CoreDataStore
import LabRunner

/// The result of running a schedule of one store in another store.
enum Replay {
    case ended(ScheduleEnd)
    /// The other store does not have one of the schedule's steps.
    case hasOtherSteps
    case failed(CoreDataError)

    init(_ end: ScheduleEnd, in trial: ScenarioTrial) {
        do throws(CoreDataError) {
            self = try trial.run(end.path).map(Replay.ended) ?? .hasOtherSteps
        } catch {
            self = .failed(error)
        }
    }

    var end: ScheduleEnd? {
        if case .ended(let end) = self { end } else { nil }
    }

    func difference(from one: ScheduleEnd, _ first: String, _ second: String) -> String? {
        switch self {
        case .ended(let end): EndComparison.difference(one, end, first, second)
        case .hasOtherSteps: "a schedule of \(first) does not exist in \(second)"
        case .failed(let error):
            "a schedule of \(first) ends with \(error.cocoaCode) in \(second): \(error.message)"
        }
    }
}
