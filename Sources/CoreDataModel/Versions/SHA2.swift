/// SHA-256 and SHA-512 as FIPS 180-4 defines them.
///
/// Version hashes and the digests in store metadata use them. Two functions over short texts do not
/// justify a dependency.
enum SHA2 {
    static func sha256(_ message: [UInt8]) -> [UInt8] {
        let constants = constants
        return digest(
            of: message, initial256, rounds: 64,
            spread: {
                (
                    rotate($0, 7) ^ rotate($0, 18) ^ ($0 >> 3),
                    rotate($1, 17) ^ rotate($1, 19) ^ ($1 >> 10)
                )
            },
            sums: {
                (
                    rotate($0, 2) ^ rotate($0, 13) ^ rotate($0, 22),
                    rotate($1, 6) ^ rotate($1, 11) ^ rotate($1, 25)
                )
            },
            // The high halves of the constants of SHA-512 are those of SHA-256.
            constant: { UInt32(truncatingIfNeeded: constants[$0] >> 32) })
    }

    static func sha512(_ message: [UInt8]) -> [UInt8] {
        let constants = constants
        return digest(
            of: message, initial512, rounds: 80,
            spread: {
                (
                    rotate($0, 1) ^ rotate($0, 8) ^ ($0 >> 7),
                    rotate($1, 19) ^ rotate($1, 61) ^ ($1 >> 6)
                )
            },
            sums: {
                (
                    rotate($0, 28) ^ rotate($0, 34) ^ rotate($0, 39),
                    rotate($1, 14) ^ rotate($1, 18) ^ rotate($1, 41)
                )
            },
            constant: { constants[$0] })
    }

    /// The algorithm that SHA-256 and SHA-512 share. Words have 32 or 64 bits, and a block has 16
    /// words.
    ///
    /// - Parameters:
    ///   - spread: the contributions of the words 15 and 2 positions before a word of the schedule.
    ///   - sums: the contributions of the first and the fifth word of the state to a round.
    @inline(__always)
    private static func digest<Word: FixedWidthInteger & UnsignedInteger>(
        of message: [UInt8], _ initial: [Word], rounds: Int,
        spread: (Word, Word) -> (Word, Word), sums: (Word, Word) -> (Word, Word),
        constant: (Int) -> Word
    ) -> [UInt8] {
        let blockSize = 2 * Word.bitWidth
        let padded = padded(message, to: blockSize)
        var state = initial
        withUnsafeTemporaryAllocation(of: Word.self, capacity: rounds) { w in
            for start in stride(from: 0, to: padded.count, by: blockSize) {
                read(padded, from: start, into: w)
                for i in 16..<rounds {
                    let (s0, s1) = spread(w[i - 15], w[i - 2])
                    w[i] = w[i - 16] &+ s0 &+ w[i - 7] &+ s1
                }
                var v = Working(state)
                for i in 0..<rounds {
                    v.step(sums(v.a, v.e), constant(i) &+ w[i])
                }
                v.add(to: &state)
            }
        }
        return bytes(state)
    }

    /// The eight words that a round changes.
    private struct Working<Word: FixedWidthInteger & UnsignedInteger> {
        var a, b, c, d, e, f, g, h: Word

        @inline(__always)
        init(_ state: [Word]) {
            (a, b, c, d) = (state[0], state[1], state[2], state[3])
            (e, f, g, h) = (state[4], state[5], state[6], state[7])
        }

        @inline(__always)
        mutating func step(_ sums: (Word, Word), _ input: Word) {
            let choice = (e & f) ^ (~e & g)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            let first = h &+ sums.1 &+ choice &+ input
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ sums.0 &+ majority)
        }

        @inline(__always)
        func add(to state: inout [Word]) {
            for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
        }
    }

    /// Reads the 16 words of a block, the highest byte first.
    @inline(__always)
    private static func read<Word: FixedWidthInteger>(
        _ bytes: [UInt8], from start: Int, into words: UnsafeMutableBufferPointer<Word>
    ) {
        bytes.withUnsafeBytes { bytes in
            for index in 0..<16 {
                let offset = start + index * MemoryLayout<Word>.size
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: Word.self)
                words.initializeElement(at: index, to: Word(bigEndian: word))
            }
        }
    }

    private static func bytes<Word: FixedWidthInteger>(_ words: [Word]) -> [UInt8] {
        words.flatMap { word in withUnsafeBytes(of: word.bigEndian, Array.init) }
    }

    /// The message with its padding: a one bit, zeros, the length in bits.
    ///
    /// The length occupies an eighth of a block. Its upper half is zero for every message that fits
    /// in memory.
    private static func padded(_ message: [UInt8], to size: Int) -> [UInt8] {
        let blocks = (message.count + 1 + size / 8 + size - 1) / size
        var padded: [UInt8] = []
        padded.reserveCapacity(blocks * size)
        padded.append(contentsOf: message)
        padded.append(0x80)
        padded.append(contentsOf: repeatElement(0, count: blocks * size - 8 - padded.count))
        withUnsafeBytes(of: (UInt64(message.count) * 8).bigEndian) {
            padded.append(contentsOf: $0)
        }
        return padded
    }

    @inline(__always)
    private static func rotate<Word: FixedWidthInteger>(_ word: Word, _ count: Int) -> Word {
        (word >> Word(count)) | (word << Word(Word.bitWidth - count))
    }
}

extension SHA2 {
    /// The first bits of the fractions of the square roots of the first 8 primes.
    private static let initial256: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A,
        0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]

    /// The first 64 bits of the fractions of the square roots of the first 8 primes.
    private static let initial512: [UInt64] = [
        0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B,
        0xA54F_F53A_5F1D_36F1, 0x510E_527F_ADE6_82D1, 0x9B05_688C_2B3E_6C1F,
        0x1F83_D9AB_FB41_BD6B, 0x5BE0_CD19_137E_2179,
    ]

    /// The first bits of the fractions of the cube roots of the first 80 primes.
    private static let constants: [UInt64] = [
        0x428A2F98D728AE22, 0x7137449123EF65CD, 0xB5C0FBCFEC4D3B2F, 0xE9B5DBA58189DBBC,
        0x3956C25BF348B538, 0x59F111F1B605D019, 0x923F82A4AF194F9B, 0xAB1C5ED5DA6D8118,
        0xD807AA98A3030242, 0x12835B0145706FBE, 0x243185BE4EE4B28C, 0x550C7DC3D5FFB4E2,
        0x72BE5D74F27B896F, 0x80DEB1FE3B1696B1, 0x9BDC06A725C71235, 0xC19BF174CF692694,
        0xE49B69C19EF14AD2, 0xEFBE4786384F25E3, 0x0FC19DC68B8CD5B5, 0x240CA1CC77AC9C65,
        0x2DE92C6F592B0275, 0x4A7484AA6EA6E483, 0x5CB0A9DCBD41FBD4, 0x76F988DA831153B5,
        0x983E5152EE66DFAB, 0xA831C66D2DB43210, 0xB00327C898FB213F, 0xBF597FC7BEEF0EE4,
        0xC6E00BF33DA88FC2, 0xD5A79147930AA725, 0x06CA6351E003826F, 0x142929670A0E6E70,
        0x27B70A8546D22FFC, 0x2E1B21385C26C926, 0x4D2C6DFC5AC42AED, 0x53380D139D95B3DF,
        0x650A73548BAF63DE, 0x766A0ABB3C77B2A8, 0x81C2C92E47EDAEE6, 0x92722C851482353B,
        0xA2BFE8A14CF10364, 0xA81A664BBC423001, 0xC24B8B70D0F89791, 0xC76C51A30654BE30,
        0xD192E819D6EF5218, 0xD69906245565A910, 0xF40E35855771202A, 0x106AA07032BBD1B8,
        0x19A4C116B8D2D0C8, 0x1E376C085141AB53, 0x2748774CDF8EEB99, 0x34B0BCB5E19B48A8,
        0x391C0CB3C5C95A63, 0x4ED8AA4AE3418ACB, 0x5B9CCA4F7763E373, 0x682E6FF3D6B2B8A3,
        0x748F82EE5DEFB2FC, 0x78A5636F43172F60, 0x84C87814A1F0AB72, 0x8CC702081A6439EC,
        0x90BEFFFA23631E28, 0xA4506CEBDE82BDE9, 0xBEF9A3F7B2C67915, 0xC67178F2E372532B,
        0xCA273ECEEA26619C, 0xD186B8C721C0C207, 0xEADA7DD6CDE0EB1E, 0xF57D4F7FEE6ED178,
        0x06F067AA72176FBA, 0x0A637DC5A2C898A6, 0x113F9804BEF90DAE, 0x1B710B35131C471B,
        0x28DB77F523047D84, 0x32CAAB7B40C72493, 0x3C9EBE0A15C9BEBC, 0x431D67C49C100D4C,
        0x4CC5D4BECB3E42B6, 0x597F299CFC657E2A, 0x5FCB6FAB3AD6FAEC, 0x6C44198C4A475817,
    ]
}
