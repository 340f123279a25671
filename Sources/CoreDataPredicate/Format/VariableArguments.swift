import CRuntimeShims
import CoreDataTrace

/// An address in C's variable arguments whose argument is unknown: this module did not create it,
/// or the argument was released or not kept. Reading the memory there could end the process.
struct UnknownArgument {}

/// Reads the arguments for a format's specifiers from C's variable arguments.
enum VariableArguments {
    static func values(
        for format: String, in list: CVaListPointer
    ) throws(PredicateFormatError) -> [Any?] {
        var lexer = Lexer(format, ArgumentSubstitution(noting: ()))
        _ = try lexer.run()
        let specifiers = lexer.arguments.noted ?? []
        var found = [faultline_argument](repeating: faultline_argument(), count: specifiers.count)
        faultline_read_arguments(list, specifiers.map(kind).joined(), &found)
        return zip(specifiers, found).map(value)
    }

    /// The kind of a specifier's argument, as a letter for `faultline_read_arguments`.
    private static func kind(of specifier: String) -> String {
        switch specifier.last {
        case "@", "K": return "p"
        case "f", "F", "e", "E", "g", "G", "a", "A": return specifier.contains("L") ? "L" : "d"
        default:
            if specifier.contains(where: { "lqztjL".contains($0) }) { return "l" }
            return isUnsigned(specifier) ? "u" : "i"
        }
    }

    private static func isUnsigned(_ specifier: String) -> Bool {
        specifier.last.map { "uxXo".contains($0) } ?? false
    }

    private static func value(of specifier: String, _ argument: faultline_argument) -> Any? {
        switch kind(of: specifier) {
        case "p":
            guard let address = argument.address else { return nil }
            return ArgumentTexts.all.value(at: address) ?? ArgumentTexts.string(at: address)
                ?? UnknownArgument()
        case "d", "L": return argument.number
        default:
            return isUnsigned(specifier) ? UInt64(bitPattern: argument.integer) : argument.integer
        }
    }
}

extension FormatInitializable where Self: NSPredicate {
    /// Parses a predicate; C's variable arguments replace `%@`, `%K`, `%d` and so on.
    ///
    /// Numbers are read with C's types: `%d` is an `Int32`, `%ld` an `Int`. Objects must come from
    /// `withVaList`. For the address of anything else the predicate is false, and the log reports
    /// it.
    ///
    /// - Precondition: The format is valid; the trap's message says how to correct it.
    public init(format: String, arguments: CVaListPointer) {
        self = Self.reading(format, arguments)
    }

    private static func reading(_ format: String, _ list: CVaListPointer) -> Self {
        let values = (try? VariableArguments.values(for: format, in: list)) ?? []
        guard values.contains(where: { $0 is UnknownArgument }) else {
            return Self(format: format, argumentArray: values.map { $0 ?? ExpressionNode.nothing })
        }
        do {
            _ = try NSPredicate.parse(format, values)
        } catch {
            EngineLog.error("The format string \"\(format)\" becomes a false predicate: \(error)")
        }
        let never: [NSPredicate] = [
            NSPredicate(value: false), NSPredicate(format: "1 == 0"), NSCompoundPredicate(.or, []),
        ]
        // Safe: each class has a predicate that is never true, and a custom subclass is never
        // parsed.
        return never.lazy.compactMap { $0 as? Self }.first!
    }
}

extension NSExpression {
    /// Parses an expression; C's variable arguments replace `%@`, `%K`, `%d` and so on.
    ///
    /// Numbers are read with C's types: `%d` is an `Int32`, `%ld` an `Int`. Objects must come from
    /// `withVaList`. For the address of anything else the expression is nil, and the log reports
    /// it.
    ///
    /// - Precondition: The format is valid; the trap's message says how to correct it.
    public convenience init(format: String, arguments: CVaListPointer) {
        let values = (try? VariableArguments.values(for: format, in: arguments)) ?? []
        guard values.contains(where: { $0 is UnknownArgument }) else {
            self.init(format: format, argumentArray: values.map { $0 ?? ExpressionNode.nothing })
            return
        }
        do {
            _ = try NSExpression.parse(format, values)
        } catch {
            EngineLog.error("The format string \"\(format)\" becomes nil: \(error)")
        }
        self.init(node: .constant(nil))
    }
}

extension NSPredicate {
    /// Returns nil and logs a message, because Linux has no Spotlight.
    public convenience init?(fromMetadataQueryString queryString: String) {
        EngineLog.errorOnce(
            "NSPredicate(fromMetadataQueryString:) is nil, because Linux has no Spotlight; "
                + "write the condition as a format, NSPredicate(format:)")
        return nil
    }
}
