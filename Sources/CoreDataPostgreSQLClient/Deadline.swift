import CPostgreSQL

/// A time on the monotonic clock until which a caller waits.
struct Deadline: Sendable {
    /// Nil for a deadline that never passes.
    private let end: UInt64?

    init(milliseconds: Int64?) {
        end = milliseconds.map {
            cpostgresql_nanoseconds() + UInt64(min(max(0, $0), Self.longest)) * 1_000_000
        }
    }

    /// A century, so that the end fits into 64 bits.
    private static let longest: Int64 = 3_200_000_000_000

    /// The time that is left, rounded up; -1 if the deadline never passes.
    var millisecondsLeft: Int64 {
        guard let end else { return -1 }
        let now = cpostgresql_nanoseconds()
        return now >= end ? 0 : Int64((end - now + 999_999) / 1_000_000)
    }

    var hasPassed: Bool { millisecondsLeft == 0 }
}
