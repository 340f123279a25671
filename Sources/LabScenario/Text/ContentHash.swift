/// Hashes scenarios. The hash in a token shows whether the scenario was edited after the token was
/// created.
package enum ContentHash {
    /// The value in a token that matches every version of the scenario.
    package static let unknown = "00000000"

    /// The 32-bit FNV-1a hash of the bytes, as eight hexadecimal digits.
    package static func of(_ bytes: some Sequence<UInt8>) -> String {
        var hash: UInt32 = 2_166_136_261
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
