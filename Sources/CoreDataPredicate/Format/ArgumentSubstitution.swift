import Foundation

/// The arguments of a format, and how many of them were substituted.
struct ArgumentSubstitution {
    private let arguments: [Any?]
    private(set) var used = 0
    /// The specifiers that were found; nil if arguments are substituted.
    private(set) var noted: [String]?

    init(_ arguments: [Any?]) { self.arguments = arguments }

    /// Records the specifiers, and uses placeholders for the arguments.
    init(noting: Void) {
        arguments = []
        noted = []
    }

    /// An error about an argument that does not fit its specifier, with a remedy.
    struct Mismatch: Error {
        let problem: String
        let advice: String
    }

    mutating func next(for specifier: String) throws(Mismatch) -> Any? {
        used += 1
        if noted != nil {
            noted?.append(specifier)
            return specifier == "%K" ? "key" : 0
        }
        guard used <= arguments.count else {
            throw Mismatch(
                problem: "argument \(used), for \(specifier), is missing",
                advice: "pass as many arguments as the format has specifiers; "
                    + "\(arguments.count) were given")
        }
        if arguments[used - 1] is UnknownArgument {
            throw Mismatch(
                problem: "argument \(used) for \(specifier) is not the address of a known object",
                advice: "pass the value itself, with argumentArray")
        }
        return ExpressionNode.constantValue(arguments[used - 1])
    }

    mutating func keys() throws(Mismatch) -> [String] {
        let value = try next(for: "%K")
        let text = value as? String ?? (value as? NSString).map { String(describing: $0) }
        guard let text else {
            throw mismatch("%K", value, "pass a key path as a String, or write %@ for a value")
        }
        let keys = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !keys.contains(where: \.isEmpty) else {
            throw Mismatch(
                problem: "argument \(used) for %K is '\(text)', which is not a key path",
                advice: "pass keys with single dots between them")
        }
        return keys
    }

    mutating func integer(_ specifier: String) throws(Mismatch) -> Any {
        let value = try next(for: specifier)
        switch Operand(value) {
        case .integer(let integer): return Int(integer)
        case .decimal(let decimal) where !(value is NSDecimalNumber || value is Decimal):
            return decimal  // An unsigned integer above `Int64.max`.
        case .double, .decimal:
            throw mismatch(specifier, value, "write %f or %@")
        default: throw mismatch(specifier, value, "write %@")
        }
    }

    mutating func double(_ specifier: String) throws(Mismatch) -> Any {
        let value = try next(for: specifier)
        guard let number = Operand(value).double else {
            throw mismatch(specifier, value, "write %@")
        }
        return number
    }

    private func mismatch(_ specifier: String, _ value: Any?, _ advice: String) -> Mismatch {
        let kind = value.map { String(describing: type(of: $0)) } ?? "nil"
        return Mismatch(
            problem: "argument \(used) for \(specifier) is of type \(kind)", advice: advice)
    }
}

extension Lexer {
    mutating func substitution() throws(PredicateFormatError) -> Token.Kind {
        let start = position
        position += 1
        while Self.isDigit(byte(at: 0)) || byte(at: 0) == UInt8(ascii: ".") { position += 1 }
        while "hlqztjL".utf8.contains(byte(at: 0)) { position += 1 }
        let letter = byte(at: 0)
        position = min(position + 1, bytes.count)
        let specifier = String(decoding: bytes[start..<position], as: UTF8.self)
        do throws(ArgumentSubstitution.Mismatch) {
            switch letter {
            case UInt8(ascii: "@"):
                return .constant(try arguments.next(for: specifier), isArgument: true)
            case UInt8(ascii: "K"):
                return .keys(try arguments.keys())
            case _ where "diuxXoD".utf8.contains(letter):
                return .constant(try arguments.integer(specifier), isArgument: true)
            case _ where "fFeEgGaA".utf8.contains(letter):
                return .constant(try arguments.double(specifier), isArgument: true)
            case UInt8(ascii: "%"):
                throw .init(
                    problem: "a percent sign is not allowed outside quotes",
                    advice: "write '%' inside the quotes, or % with a letter for an argument")
            default:
                throw .init(
                    problem: "'\(specifier)' is not a specifier",
                    advice: "write %@ for a value, %K for a key path, %d or %f for a number")
            }
        } catch {
            throw self.error(at: start, error.problem, error.advice)
        }
    }
}
