import Foundation

/// Replaces an object of a Foundation class in archives, in the archive format of Apple's systems.
/// On Linux, the Foundation class ends the process or returns a wrong value.
protocol ArchiveStandIn: NSObject, NSCoding {
    var original: Any { get }
}

/// The replacements of Foundation's classes.
enum ArchiveStandIns {
    static func type(for original: AnyClass) -> AnyClass? {
        if original == NSDecimalNumber.self { return ArchivedDecimal.self }
        if original == NSError.self { return ArchivedError.self }
        if original == NSAttributedString.self { return ArchivedText.self }
        if original == NSMutableAttributedString.self { return ArchivedMutableText.self }
        return nil
    }
}

/// Replaces an `NSDecimalNumber` in archives. Foundation's class decodes every number as 0, and
/// lacks the hash that every archiver needs.
final class ArchivedDecimal: NSObject, ArchiveStandIn {
    private let number: NSDecimalNumber
    var original: Any { number }

    init(_ number: NSDecimalNumber) { self.number = number }

    override var classForCoder: AnyClass { NSDecimalNumber.self }

    func encode(with coder: NSCoder) {
        let decimal = number.decimalValue
        let digits = decimal.isNaN ? 0 : UInt128("\(decimal.significand)") ?? 0
        let words = (UInt128.bitWidth - digits.leadingZeroBitCount + 15) / 16
        coder.encode(Int32(decimal.isNaN ? 0 : decimal.exponent), forKey: "NS.exponent")
        coder.encode(Int32(words), forKey: "NS.length")
        coder.encode(decimal.isNaN || decimal.sign == .minus, forKey: "NS.negative")
        coder.encode(true, forKey: "NS.compact")
        coder.encode(Int32(1), forKey: "NS.mantissa.bo")
        withUnsafeBytes(of: digits.littleEndian) { bytes in
            let start = bytes.bindMemory(to: UInt8.self).baseAddress
            coder.encodeBytes(start, length: bytes.count, forKey: "NS.mantissa")
        }
    }

    init?(coder: NSCoder) {
        let length = coder.decodeInt32(forKey: "NS.length")
        let isNegative = coder.decodeBool(forKey: "NS.negative")
        let exponent = Int(coder.decodeInt32(forKey: "NS.exponent"))
        let isBigEndian = coder.decodeInt32(forKey: "NS.mantissa.bo") == 2
        let bytes = coder.withDecodedUnsafeBytes(forKey: "NS.mantissa") { $0.map(Array.init) ?? [] }
        guard (0...8).contains(length), bytes.count == 16, (-128...127).contains(exponent)
        else { return nil }
        if length == 0 {
            number = isNegative ? .notANumber : .zero
            return
        }
        var digits: UInt128 = 0
        for word in (0..<Int(length)).reversed() {
            let (first, second) = (UInt128(bytes[word * 2]), UInt128(bytes[word * 2 + 1]))
            digits = digits << 16 | (isBigEndian ? first << 8 | second : second << 8 | first)
        }
        guard let significand = Decimal(string: "\(digits)") else { return nil }
        number = NSDecimalNumber(
            decimal: Decimal(
                sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand))
    }
}

/// Replaces an error, because Foundation's class ends the process.
final class ArchivedError: NSObject, ArchiveStandIn {
    private let error: NSError
    var original: Any { error }

    init(_ error: NSError) { self.error = error }

    override var classForCoder: AnyClass { NSError.self }

    func encode(with coder: NSCoder) {
        coder.encode(NSString(string: error.domain), forKey: "NSDomain")
        coder.encode(error.code, forKey: "NSCode")
        let keys = error.userInfo.keys.sorted()
        let values = keys.map { error.userInfo[$0] ?? NSNull() }
        coder.encode(
            NSDictionary(objects: values, forKeys: keys.map { NSString(string: $0) }),
            forKey: "NSUserInfo")
    }

    init?(coder: NSCoder) {
        guard let domain = coder.decodeObject(forKey: "NSDomain") as? String else { return nil }
        let isThere = coder.containsValue(forKey: "NSUserInfo")
        let info = isThere ? coder.decodeObject(forKey: "NSUserInfo") as? [String: Any] : nil
        error = NSError(
            domain: domain, code: coder.decodeInteger(forKey: "NSCode"), userInfo: info)
    }
}

/// Replaces an attributed string. Foundation's class ends the process if a run extends beyond the
/// end of the string.
class ArchivedText: NSObject, ArchiveStandIn {
    fileprivate let text: NSMutableAttributedString
    var original: Any { NSAttributedString(attributedString: text) }

    func encode(with coder: NSCoder) { text.encode(with: coder) }

    required init?(coder: NSCoder) {
        let string = coder.decodeObject(forKey: "NSString") as? String ?? ""
        text = NSMutableAttributedString(string: string)
        super.init()
        guard text.length > 0, coder.containsValue(forKey: "NSAttributes") else { return }
        let attributes = coder.decodeObject(forKey: "NSAttributes")
        if let table = attributes as? [String: Any] {
            set(table, 0, text.length)
        } else {
            let isThere = coder.containsValue(forKey: "NSAttributeInfo")
            let runs = isThere ? coder.decodeObject(forKey: "NSAttributeInfo") as? Data : nil
            guard let tables = attributes as? [[String: Any]], let runs,
                apply(tables, runs: Array(runs))
            else { return nil }
        }
    }

    private func set(_ table: [String: Any], _ start: Int, _ length: Int) {
        let pairs = table.map { (NSAttributedString.Key($0), $1) }
        text.setAttributes(
            Dictionary(pairs, uniquingKeysWith: { $1 }),
            range: NSRange(location: start, length: length))
    }

    /// Applies the attributes of each run. A run consists of a length and the index of an attribute
    /// dictionary.
    private func apply(_ tables: [[String: Any]], runs: [UInt8]) -> Bool {
        var start = 0
        var rest = runs[...]
        while start < text.length {
            guard let length = Self.number(&rest), let table = Self.number(&rest),
                tables.indices.contains(table), length > 0, length <= text.length - start
            else { return false }
            set(tables[table], start, length)
            start += length
        }
        return true
    }

    /// Reads a variable-length integer: seven bits in each byte, the lowest bits first.
    private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var number = 0
        var shift = 0
        while let byte = bytes.popFirst(), shift < 56 {
            number |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        return nil
    }
}

/// Replaces a mutable attributed string.
final class ArchivedMutableText: ArchivedText {
    override var original: Any { text }
}
