import LabSchedule

/// A random number generator. A seed yields the same numbers on every machine.
struct Dice {
    private var generator: SeededGenerator

    /// - Parameter number: the number of the sequence. Sequences with different numbers are
    ///   independent.
    init(seed: UInt64, _ number: Int, salt: UInt64 = 0) {
        var mixer = SeededGenerator(seed: seed &+ salt &* 0xD1B5_4A32_D192_ED03)
        generator = SeededGenerator(
            seed: mixer.next() ^ (UInt64(number) &* 0xA24B_AED4_963E_E407))
        _ = generator.next()
    }

    /// A number below `bound`, which must be positive.
    mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.count)
    }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func pick<Item>(_ items: [Item]) -> Item? {
        items.isEmpty ? nil : items[below(items.count)]
    }

    mutating func pick<Item>(weighted items: [(Item, Int)]) -> Item {
        var left = below(items.reduce(0) { $0 + $1.1 })
        for (item, weight) in items {
            if left < weight { return item }
            left -= weight
        }
        return items[0].0
    }
}
