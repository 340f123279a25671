import CRuntimeShims
import CoreDataTrace

/// Stands for an address in C's variable arguments that is none of an argument that this module
/// gave out. Reading what is there could end the process.
struct UnknownArgument {}

/// Reads what a format's specifiers name from C's variable arguments.
enum VariableArguments {
    /// The arguments in their order.
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

    /// The letter of a specifier's kind; see `faultline_read_arguments`.
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
    /// Parses a predicate; C's variable arguments take the places of `%@`, `%K`, `%d` and so on.
    ///
    /// Numbers are read as C reads them: `%d` is an `Int32`, `%ld` an `Int`. Objects are those that
    /// `withVaList` has put there. For an address of anything else the predicate is false, and the
    /// log says so.
    ///
    /// - Precondition: The format is one; the message of the trap says what to write instead.
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
        // Safe: there is one for each class, and a subclass of a program's own is never parsed.
        return never.lazy.compactMap { $0 as? Self }.first!
    }
}

extension NSExpression {
    /// Parses an expression; C's variable arguments take the places of `%@`, `%K`, `%d` and so on.
    ///
    /// Numbers are read as C reads them: `%d` is an `Int32`, `%ld` an `Int`. Objects are those that
    /// `withVaList` has put there. For an address of anything else the expression is nil, and the
    /// log says so.
    ///
    /// - Precondition: The format is one; the message of the trap says what to write instead.
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
    /// Gives nil and tells the log: there is no Spotlight, whose queries these are.
    public convenience init?(fromMetadataQueryString queryString: String) {
        EngineLog.errorOnce(
            "NSPredicate(fromMetadataQueryString:) is nil: there is no Spotlight here; "
                + "write the condition as a format, NSPredicate(format:)")
        return nil
    }
}
