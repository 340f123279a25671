import Foundation

/// Reads numbers and quoted text of a format.
extension Lexer {
    mutating func number() throws(PredicateFormatError) -> Any {
        let start = position
        if byte(at: 0) == UInt8(ascii: "0"), let radix = Self.radix(byte(at: 1)) {
            position += 2
            return try integer(radix: radix, start: start)
        }
        takeDigits()
        var isInteger = true
        if byte(at: 0) == UInt8(ascii: "."), Self.isDigit(byte(at: 1)) {
            isInteger = false
            position += 1
            takeDigits()
        }
        if byte(at: 0) | 0x20 == UInt8(ascii: "e") {
            let sign = byte(at: 1) == UInt8(ascii: "+") || byte(at: 1) == UInt8(ascii: "-")
            if Self.isDigit(byte(at: sign ? 2 : 1)) {
                isInteger = false
                position += sign ? 2 : 1
                takeDigits()
            }
        }
        try endNumber(start)
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger {
            if let value = Int(text) { return value }
            if let value = Decimal(string: text) { return value }
        } else if let value = Double(text), value.isFinite {
            return value
        }
        throw error(at: start, "'\(text)' is too large for a number", "write it with %@")
    }

    private static func radix(_ letter: UInt8) -> Int? {
        switch letter | 0x20 {
        case UInt8(ascii: "x"): 16
        case UInt8(ascii: "o"): 8
        case UInt8(ascii: "b"): 2
        default: nil
        }
    }

    private mutating func integer(
        radix: Int, start: Int
    ) throws(PredicateFormatError) -> Any {
        let digits = takeName()
        guard let value = Int(digits, radix: radix) else {
            let text = String(decoding: bytes[start..<position], as: UTF8.self)
            throw error(
                at: start, "'\(text)' is not a number of base \(radix)",
                "write digits of base \(radix) after the prefix, at most 63 bits")
        }
        return value
    }

    private mutating func takeDigits() {
        while Self.isDigit(byte(at: 0)) { position += 1 }
    }

    private mutating func endNumber(_ start: Int) throws(PredicateFormatError) {
        guard position < bytes.count, Self.isNameStart(bytes[position]) else { return }
        _ = takeName()
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        throw error(
            at: start, "'\(text)' is neither a number nor a key",
            "write a number, a quoted string, or a key that starts with a letter")
    }

    /// Reads a quoted string, in which arguments are not substituted.
    mutating func string(quote: UInt8) throws(PredicateFormatError) -> String {
        let start = position
        position += 1
        var text: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == quote { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                try escape(into: &text)
            } else {
                text.append(byte)
            }
        }
        let sign = String(decoding: [quote], as: UTF8.self)
        throw error(at: start, "the text has no closing quote", "write \(sign) at its end")
    }

    /// Reads an escape sequence after its backslash. An unknown one is read as its character, so a
    /// regular expression needs double backslashes, as in Foundation.
    private mutating func escape(into text: inout [UInt8]) throws(PredicateFormatError) {
        guard position < bytes.count else { return }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "x"): try character(digits: 2...2, radix: 16, into: &text)
        case UInt8(ascii: "u"): try character(digits: 4...4, radix: 16, into: &text)
        case UInt8(ascii: "U"): try character(digits: 8...8, radix: 16, into: &text)
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            position -= 1
            try character(digits: 1...3, radix: 8, into: &text)
        default: text.append(byte)
        }
    }

    private mutating func character(
        digits: ClosedRange<Int>, radix: UInt32, into text: inout [UInt8]
    ) throws(PredicateFormatError) {
        let start = position
        var value: UInt32 = 0
        while position - start < digits.upperBound,
            let digit = Self.value(ofDigit: byte(at: 0)), digit < radix
        {
            value = value &* radix &+ digit
            position += 1
        }
        // A surrogate must be followed by the other surrogate of the pair.
        if (0xD800...0xDBFF).contains(value), byte(at: 0) == 0x5C, byte(at: 1) == 0x75 {
            position += 2
            let low = try hexadecimal(start: start)
            value = 0x10000 &+ (value - 0xD800) << 10 &+ (low &- 0xDC00)
        }
        guard position - start >= digits.lowerBound, let scalar = Unicode.Scalar(value) else {
            throw error(
                at: start - 2, "the escape is not a character",
                "write \\ooo, \\xhh, \\uhhhh or \\Uhhhhhhhh")
        }
        text.append(contentsOf: Array(String(scalar).utf8))
    }

    private mutating func hexadecimal(start: Int) throws(PredicateFormatError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Self.value(ofDigit: byte(at: 0)) else { break }
            value = value << 4 | digit
            position += 1
        }
        guard (0xDC00...0xDFFF).contains(value) else {
            throw error(
                at: start - 2, "the escape is only half of a surrogate pair",
                "write both halves (\\ud83d\\ude00) or \\Uhhhhhhhh")
        }
        return value
    }

    private static func value(ofDigit byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte) - 0x30
        case 0x41...0x46: UInt32(byte) - 0x41 + 10
        case 0x61...0x66: UInt32(byte) - 0x61 + 10
        default: nil
        }
    }
}
