/// A depth-first walk over schedules as a value: the choices of its current path, and, for each
/// choice, the lanes that remain to be tried. Its caller runs the choices in a world.
protocol ScheduleWalk: Sendable {
    /// The number of choices in the current path.
    var count: Int { get }

    func lane(at position: Int) -> Int

    /// Chooses a lane in a new state; nil if no lane is to be tried there.
    mutating func next(_ runnable: UInt64) -> Int?

    /// Notes that the last choice has run.
    ///
    /// - Parameter footprint: the footprint of that step.
    mutating func ran(_ footprint: () -> Footprint)

    /// Moves to the next path that begins with the first `fixed` choices of the current one; false
    /// if all have been tried.
    mutating func advance(keeping fixed: Int) -> Bool

    /// The number of schedules that the current path represents; 0 if unknown.
    func weight() -> UInt64

    /// A copy with its own storage, for another thread.
    func copied() -> Self
}
