/// Readers with deliberate faults, and one without a fault. Tests of the fuzzer use them.
enum PlantedFaults {
    static let all: [FuzzTargets.Entry] = [
        FuzzTargets.Entry("planted-trap", floor: 0, most: 0) { name in
            FuzzTarget(name, Digits()) { input in
                // For one input in a hundred (99), the index is out of bounds.
                let table = [UInt8](repeating: 0, count: 99)
                return table[number(input)] == 0 ? .accepted : .refused
            }
        },
        FuzzTargets.Entry("planted-hang", floor: 0, most: 0) { name in
            FuzzTarget(name, Digits()) { input in
                var turns = UInt64(number(input))
                while number(input) == 99 { turns = turns &* 31 &+ 7 }
                return turns == 1 ? .refused : .accepted
            }
        },
        FuzzTargets.Entry("planted-growth", floor: 0, most: 0) { name in
            FuzzTarget(name, Digits()) { input in
                var kept: [[UInt8]] = []
                while number(input) == 99 { kept.append(Array(repeating: 1, count: 1 << 20)) }
                return kept.isEmpty ? .accepted : .refused
            }
        },
        FuzzTargets.Entry("planted-promise", floor: 0, most: 0) { name in
            FuzzTarget(name, Digits()) { input in
                number(input) == 99 ? .broken("99 is written as 98") : .accepted
            }
        },
        FuzzTargets.Entry("planted-nothing", floor: 0, most: 0) { name in
            FuzzTarget(name, Digits()) { input in number(input) % 2 == 0 ? .accepted : .refused }
        },
    ]

    private struct Digits: FuzzSource {
        var plain: [UInt8] { Array("some letters 02".utf8) }

        func input(_ random: inout FuzzRandom) -> [UInt8] {
            let number = random.below(100)
            return Array("some letters \(number / 10)\(number % 10)".utf8)
        }
    }

    private static func number(_ input: [UInt8]) -> Int {
        Int(String(decoding: input.suffix(2), as: UTF8.self)) ?? 0
    }
}
