/// SipHash-2-4 with a random key for each file. The key is not stored, so nobody can find a value
/// by hashing all likely values.
struct KeyedHash {
    private let lowKey: UInt64
    private let highKey: UInt64

    init(_ generator: inout some RandomNumberGenerator) {
        lowKey = generator.next()
        highKey = generator.next()
    }

    func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var state = (
            lowKey ^ 0x736f_6d65_7073_6575, highKey ^ 0x646f_7261_6e64_6f6d,
            lowKey ^ 0x6c79_6765_6e65_7261, highKey ^ 0x7465_6462_7974_6573
        )
        var (word, count) = (UInt64(0), 0)
        for byte in bytes {
            word |= UInt64(byte) << UInt64(8 * (count % 8))
            count += 1
            if count % 8 == 0 {
                Self.take(word, &state)
                word = 0
            }
        }
        Self.take(word | UInt64(count & 0xff) << 56, &state)
        state.2 ^= 0xff
        for _ in 0..<4 { Self.round(&state) }
        return state.0 ^ state.1 ^ state.2 ^ state.3
    }

    private typealias State = (UInt64, UInt64, UInt64, UInt64)

    private static func take(_ word: UInt64, _ state: inout State) {
        state.3 ^= word
        round(&state)
        round(&state)
        state.0 ^= word
    }

    private static func round(_ state: inout State) {
        state.0 &+= state.1
        state.1 = rotated(state.1, 13) ^ state.0
        state.0 = rotated(state.0, 32)
        state.2 &+= state.3
        state.3 = rotated(state.3, 16) ^ state.2
        state.0 &+= state.3
        state.3 = rotated(state.3, 21) ^ state.0
        state.2 &+= state.1
        state.1 = rotated(state.1, 17) ^ state.2
        state.2 = rotated(state.2, 32)
    }

    private static func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 {
        word << bits | word >> (64 - bits)
    }
}
