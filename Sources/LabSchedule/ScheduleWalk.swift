/// A depth-first walk over schedules, as a value. It contains the choices of the current path, and
/// for each choice the lanes that remain to be tried. The caller runs the choices in a world.
protocol ScheduleWalk: Sendable {
    var count: Int { get }

    func lane(at position: Int) -> Int

    /// Chooses a lane in a new state; nil if no lane is to be tried there.
    mutating func next(_ runnable: UInt64) -> Int?

    /// Records that the last choice has run.
    ///
    /// - Parameter footprint: the footprint of that step.
    mutating func ran(_ footprint: () -> Footprint)

    /// Moves to the next path that begins with the first `fixed` choices of the current path.
    /// Returns false if all such paths have been tried.
    mutating func advance(keeping fixed: Int) -> Bool

    /// The number of schedules that the current path represents; 0 if unknown.
    func weight() -> UInt64

    /// Returns a copy that does not share storage with the original, for another thread.
    func copied() -> Self
}
