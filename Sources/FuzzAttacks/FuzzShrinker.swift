/// Removes parts of an input while it still causes the same fault.
struct FuzzShrinker {
    private static let triesMax = 150
    private static let timeMax = Duration.seconds(60)

    let pool: FuzzPool
    let target: String
    let fault: FuzzFault

    /// The smallest input that was found. If the original input causes no fault in a new process,
    /// it is returned unchanged.
    ///
    /// An input that causes a hang is not shrunk, because each try would take the whole time limit.
    /// An input that needs too much memory is not shrunk either.
    func shrunk(_ input: [UInt8]) throws(FuzzFailure) -> [UInt8] {
        guard fault.kind == .crash || fault.kind == .broken else { return input }
        let began = ContinuousClock.now
        var (best, tries, size) = (input, 0, max(1, input.count / 2))
        while size >= 1, !best.isEmpty {
            var (start, isSmaller) = (0, false)
            while start < best.count {
                guard tries < Self.triesMax, ContinuousClock.now - began < Self.timeMax else {
                    return best
                }
                tries += 1
                var candidate = best
                candidate.removeSubrange(start..<min(best.count, start + size))
                if try pool.fault(of: candidate, target)?.signature == fault.signature {
                    (best, isSmaller) = (candidate, true)
                } else {
                    start += size
                }
            }
            if !isSmaller { size /= 2 } else { size = min(size, max(1, best.count / 2)) }
        }
        return best
    }
}
