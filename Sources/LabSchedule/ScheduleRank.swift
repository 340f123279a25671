/// The position of a schedule in the order in which one world would run all schedules of an
/// exploration.
package struct ScheduleRank: Sendable, Hashable, Comparable {
    package let walk: Int
    package let part: Int
    package let index: Int

    package init(walk: Int, part: Int, index: Int) {
        self.walk = walk
        self.part = part
        self.index = index
    }

    package static func < (one: ScheduleRank, other: ScheduleRank) -> Bool {
        (one.walk, one.part, one.index) < (other.walk, other.part, other.index)
    }
}

/// A schedule and its rank.
package struct RankedSchedule: Sendable, Hashable {
    package let rank: ScheduleRank
    /// The lanes in the order in which they ran.
    package let path: [UInt8]

    package init(rank: ScheduleRank, path: [UInt8]) {
        self.rank = rank
        self.path = path
    }
}
