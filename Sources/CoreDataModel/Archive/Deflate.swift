import Foundation

/// Writes raw DEFLATE (RFC 1951) without a header, the format of `Z_MODELCACHE`.
///
/// It is used once for each new store, so the bytes are stored without compression. Every inflater
/// reads this form.
enum Deflate {
    static func stored(_ data: Data) -> Data {
        var result = Data()
        var rest = data[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            result.append(rest.isEmpty ? 1 : 0)
            for number in [length, ~length] {
                result.append(UInt8(truncatingIfNeeded: number))
                result.append(UInt8(truncatingIfNeeded: number >> 8))
            }
            result.append(block)
        } while !rest.isEmpty
        return result
    }
}
