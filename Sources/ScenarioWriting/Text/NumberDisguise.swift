/// Replaces the numbers of an attribute by other numbers. If possible, the replacements are an
/// exact linear function of the original numbers. Otherwise they keep only the order.
struct NumberDisguise {
    private enum Form {
        case line(factor: Double, start: Double)
        case ranks([Double: Int], start: Int, step: Int)
    }

    private let form: Form

    /// - Parameters:
    ///   - values: all values of the attribute in the file.
    ///   - limit: the largest number that the attribute can hold.
    init(_ values: Set<Double>, limit: Double, _ generator: inout some RandomNumberGenerator) {
        let largest = values.map(\.magnitude).max() ?? 0
        let isExact = values.allSatisfy { ($0 * 1024).rounded() == $0 * 1024 }
        let room = Swift.min(limit, 1e12)
        if isExact, largest * 17 + 1000 < room {
            let factor = Double(Int.random(in: 7...97, using: &generator) | 1)
            let top = Swift.max(7, Swift.min(factor, ((room - 1000) / Swift.max(largest, 1) / 2)))
            let start = Double.random(in: 0.2...0.4, using: &generator) * Swift.min(room, 1e6)
            form = .line(factor: top.rounded(.down), start: start.rounded(.down))
            return
        }
        let step = Int.random(in: 3...19, using: &generator)
        let ranks = values.sorted().enumerated().map { ($1, $0) }
        form = .ranks(
            Dictionary(uniqueKeysWithValues: ranks),
            start: Int.random(in: 1000...5000, using: &generator), step: step)
    }

    func written(_ value: Double) -> Double {
        switch form {
        case .line(let factor, let start): value * factor + start
        case .ranks(let ranks, let start, let step): Double(start + step * (ranks[value] ?? 0))
        }
    }

    /// The difference between the replacements of two values; nil if the replacements keep only the
    /// order of values.
    func difference(_ new: Double, _ old: Double) -> Double? {
        guard case .line(let factor, _) = form else { return nil }
        return (new - old) * factor
    }

    /// The factor and the offset of the linear function; nil if the replacements keep only the
    /// order of values.
    var line: (factor: Double, start: Double)? {
        guard case .line(let factor, let start) = form else { return nil }
        return (factor, start)
    }
}
