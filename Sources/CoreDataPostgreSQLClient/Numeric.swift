import CPostgreSQL
import Foundation

/// The server's binary form of NUMERIC: a header of four numbers, then digits of base 10,000.
///
/// A value of `Decimal` has a mantissa of at most 128 bits and an exponent from -128 to 127. Every
/// such value is converted exactly. A NUMERIC is converted only if it is such a value.
enum Numeric {
    private static let headerSize = 8
    private static let negative: UInt16 = 0x4000
    private static let notANumber: UInt16 = 0xC000

    /// Appends the form of a number to a buffer.
    static func append(_ value: Decimal, to buffer: inout FieldBuffer) {
        if value.isNaN { return append([], weight: 0, sign: notANumber, scale: 0, to: &buffer) }
        var digits = value.significand.description.utf8.filter { $0 != UInt8(ascii: "-") }
            .map { UInt16($0 &- UInt8(ascii: "0")) }
        // The exponent is rounded down to a multiple of four, with zeros behind the digits.
        let exponent = value.exponent
        let groups = exponent >= 0 ? exponent / 4 : -((3 - exponent) / 4)
        digits.append(contentsOf: repeatElement(0, count: exponent - groups * 4))
        digits.insert(contentsOf: repeatElement(0, count: (4 - digits.count % 4) % 4), at: 0)
        var words = stride(from: 0, to: digits.count, by: 4).map {
            digits[$0...($0 + 3)].reduce(0) { $0 * 10 + $1 }
        }
        var weight = groups + words.count - 1
        while words.last == 0 { words.removeLast() }
        let leading = words.prefix { $0 == 0 }.count
        words.removeFirst(leading)
        weight = words.isEmpty ? 0 : weight - leading
        append(
            words, weight: weight, sign: value.isSignMinus && !words.isEmpty ? negative : 0,
            scale: max(0, -exponent), to: &buffer)
    }

    private static func append(
        _ words: [UInt16], weight: Int, sign: UInt16, scale: Int, to buffer: inout FieldBuffer
    ) {
        let size = headerSize + 2 * words.count
        buffer.appendWord(UInt32(size))
        buffer.appendHalf(UInt16(words.count))
        buffer.appendHalf(UInt16(bitPattern: Int16(weight)))
        buffer.appendHalf(sign)
        buffer.appendHalf(UInt16(scale))
        for word in words { buffer.appendHalf(word) }
    }

    /// The number with this form; nil for an infinite number, and for a number that `Decimal`
    /// cannot represent exactly.
    static func decimal(_ bytes: UnsafeRawBufferPointer) -> Decimal? {
        guard let start = bytes.baseAddress, bytes.count >= headerSize else { return nil }
        let half = { Int(cpostgresql_read16(start + 2 * $0)) }
        let count = half(0)
        let sign = UInt16(half(2))
        if sign == notANumber { return .nan }
        guard sign & ~negative == 0, bytes.count == headerSize + 2 * count else { return nil }
        // The digits without zeros at the end form the mantissa.
        var mantissa: UInt128 = 0
        var exponent = (Int(Int16(truncatingIfNeeded: half(1))) + 1) * 4
        var zeros = 0
        for index in 0..<count {
            var word = half(4 + index)
            for power in [1000, 100, 10, 1] {
                let digit = word / power
                word %= power
                exponent -= 1
                zeros += 1
                guard digit != 0 else { continue }
                guard let longer = appending(UInt128(digit), behind: zeros, to: mantissa) else {
                    return nil
                }
                (mantissa, zeros) = (longer, 0)
            }
        }
        exponent += zeros
        return decimal(mantissa, exponent, isNegative: sign == negative)
    }

    /// Moves the mantissa by a number of digits and adds the last digit; nil after an overflow.
    private static func appending(
        _ digit: UInt128, behind places: Int, to mantissa: UInt128
    ) -> UInt128? {
        var result = mantissa
        if result == 0 { return digit }
        for _ in 0..<places {
            let (product, overflows) = result.multipliedReportingOverflow(by: 10)
            if overflows { return nil }
            result = product
        }
        let (sum, overflows) = result.addingReportingOverflow(digit)
        return overflows ? nil : sum
    }

    private static func decimal(
        _ mantissa: UInt128, _ exponent: Int, isNegative: Bool
    ) -> Decimal? {
        if mantissa == 0 { return 0 }
        guard exponent >= -128 else { return nil }
        var mantissa = mantissa
        for _ in 0..<max(0, exponent - 127) {
            let (product, overflows) = mantissa.multipliedReportingOverflow(by: 10)
            if overflows { return nil }
            mantissa = product
        }
        let exponent = min(exponent, 127)
        let significand =
            UInt64(exactly: mantissa).map { Decimal($0) } ?? Decimal(string: "\(mantissa)")
        return significand.map {
            Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: $0)
        }
    }
}
