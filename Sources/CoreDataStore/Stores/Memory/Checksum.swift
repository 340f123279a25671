import Foundation

/// The 64-bit cyclic redundancy check of ECMA-182, bits reversed, as in the `xz` format.
///
/// It detects every change within 64 neighbouring bits, and any other change with a probability of
/// 1 − 2⁻⁶⁴.
struct Checksum: Equatable, Sendable {
    package let value: UInt64

    package init(_ data: Data) {
        value = data.withUnsafeBytes { bytes in
            Self.table.withUnsafeBufferPointer { table in
                var rest = UInt64.max
                for byte in bytes {
                    rest = table[Int((rest ^ UInt64(byte)) & 0xFF)] ^ (rest >> 8)
                }
                return ~rest
            }
        }
    }

    private static let table: [UInt64] = (0..<256).map { index in
        (0..<8).reduce(UInt64(index)) { rest, _ in
            rest & 1 == 1 ? (rest >> 1) ^ 0xC96C_5795_D787_0F42 : rest >> 1
        }
    }
}
