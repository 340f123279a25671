import LabBench

/// The random number generator of one attempt.
struct FuzzRandom {
    private var generator: SplitMix64

    init(seed: UInt64, target: String, attempt: Int) {
        // The seed includes the name's FNV-1a hash, so that targets get different numbers.
        let name = target.utf8.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        let number = UInt64(truncatingIfNeeded: attempt) &* 0x9E37_79B9_7F4A_7C15
        generator = SplitMix64(seed: seed ^ name ^ number)
        _ = generator.next()
    }

    mutating func word() -> UInt64 { generator.next() }

    mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: generator.next() >> 32) }

    /// A number below `bound`; 0 if the bound is 0.
    mutating func below(_ bound: Int) -> Int { bound > 1 ? generator.below(bound) : 0 }

    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    /// A number below `bound`. Small numbers are more likely.
    mutating func small(_ bound: Int) -> Int { below(below(bound) + 1) }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    /// A position from 0 to `count` inclusive.
    mutating func place(in count: Int) -> Int { below(count + 1) }

    /// A range in `count` bytes. Short ranges are more likely.
    mutating func range(in count: Int, longest: Int = 64) -> Range<Int> {
        let start = below(max(1, count))
        return min(start, count)..<min(count, start + 1 + small(longest))
    }
}
