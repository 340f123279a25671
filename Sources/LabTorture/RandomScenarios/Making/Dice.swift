import LabSchedule

/// Draws that are the same for one seed on every machine.
struct Dice {
    private var generator: SeededGenerator

    /// - Parameter number: what is drawn for; draws for different numbers have nothing in common.
    init(seed: UInt64, _ number: Int, salt: UInt64 = 0) {
        var mixer = SeededGenerator(seed: seed &+ salt &* 0xD1B5_4A32_D192_ED03)
        generator = SeededGenerator(
            seed: mixer.next() ^ (UInt64(number) &* 0xA24B_AED4_963E_E407))
        _ = generator.next()
    }

    /// A number below `bound`, which is above zero.
    mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.count)
    }

    /// True in so many of a hundred cases.
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// One of the items; nil where there are none.
    mutating func pick<Item>(_ items: [Item]) -> Item? {
        items.isEmpty ? nil : items[below(items.count)]
    }

    /// One of the items, as often as its weight says. Weights are above zero.
    mutating func pick<Item>(weighted items: [(Item, Int)]) -> Item {
        var left = below(items.reduce(0) { $0 + $1.1 })
        for (item, weight) in items {
            if left < weight { return item }
            left -= weight
        }
        return items[0].0
    }
}
