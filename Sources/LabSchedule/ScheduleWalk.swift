/// A depth-first walk over schedules as a value: the choices of its current path, with what is
/// still to be tried at each. Whoever drives it runs the choices in a world.
protocol ScheduleWalk: Sendable {
    /// How many choices the current path has.
    var count: Int { get }

    func lane(at position: Int) -> Int

    /// Chooses a lane at a new state; nil if nothing is to be tried there.
    mutating func next(_ runnable: UInt64) -> Int?

    /// The last choice has run.
    ///
    /// - Parameter footprint: what it has touched.
    mutating func ran(_ footprint: () -> Footprint)

    /// Goes to the next path that begins with so many choices of the current one; false when all
    /// have been tried.
    mutating func advance(keeping fixed: Int) -> Bool

    /// How many schedules the current path stands for; 0 if that is not known.
    func weight() -> UInt64

    /// The same in storage of its own, for another thread.
    func copied() -> Self
}
