import CoreDataTrace

/// Lets `NSPredicate(format:)` return an instance of a subclass.
///
/// An initializer of a class cannot return another object; an initializer in a protocol extension
/// can.
public protocol FormatInitializable {}

extension FormatInitializable where Self: NSPredicate {
    /// Parses a predicate; arguments replace `%@`, `%K`, `%d` and so on.
    ///
    /// - Precondition: The format is valid; the trap's message says how to correct it.
    public init(format: String, argumentArray arguments: [Any]?) {
        self = Self.trapping(format, arguments ?? [])
    }

    /// Parses a predicate; arguments replace `%@`, `%K`, `%d` and so on.
    ///
    /// - Precondition: The format is valid; the trap's message says how to correct it.
    public init(format: String, _ arguments: any CVarArg...) {
        self = Self.trapping(format, arguments)
    }

    /// Parses a predicate; arguments replace `%@`, `%K`, `%d` and so on.
    ///
    /// This form accepts values that are not a `CVarArg` on Linux: dates, ids, collections,
    /// objects, optionals.
    ///
    /// - Precondition: The format is valid; the trap's message says how to correct it.
    @_disfavoredOverload
    public init(format: String, _ arguments: Any?...) {
        self = Self.trapping(format, arguments)
    }

    private static func trapping(_ format: String, _ arguments: [Any?]) -> Self {
        let predicate: NSPredicate
        do {
            predicate = try NSPredicate.parse(format, arguments)
        } catch {
            trap("Unable to parse the format string \"\(format)\": \(error)")
        }
        guard let predicate = predicate as? Self else {
            trap(
                "\"\(format)\" is a \(type(of: predicate)), not a \(Self.self); use NSPredicate")
        }
        return predicate
    }
}

extension NSPredicate {
    /// Parses a predicate.
    ///
    /// - Parameters:
    ///   - format: The text in the language of predicate formats.
    ///   - arguments: The replacements of `%@`, `%K`, `%d` and so on, in their order.
    /// - Returns: An ``NSComparisonPredicate``, ``NSCompoundPredicate`` or a constant.
    package static func parse(
        _ format: String, _ arguments: [Any?] = []
    ) throws(PredicateFormatError) -> NSPredicate {
        var parser = try FormatParser(format, arguments)
        return try parser.predicate()
    }
}

extension NSExpression {
    /// Parses an expression.
    ///
    /// - Parameters:
    ///   - format: The text of one side of a comparison.
    ///   - arguments: The replacements of `%@`, `%K`, `%d` and so on, in their order.
    package static func parse(
        _ format: String, _ arguments: [Any?] = []
    ) throws(PredicateFormatError) -> NSExpression {
        var parser = try FormatParser(format, arguments)
        return try parser.expression()
    }

    /// Parses an expression; arguments replace `%@`, `%K`, `%d` and so on.
    ///
    /// - Precondition: The format is valid; the trap's message says how to correct it.
    public convenience init(format: String, argumentArray arguments: [Any]) {
        self.init(trapping: format, arguments)
    }

    /// Parses an expression; arguments replace `%@`, `%K`, `%d` and so on.
    ///
    /// - Precondition: The format is valid; the trap's message says how to correct it.
    public convenience init(format: String, _ arguments: any CVarArg...) {
        self.init(trapping: format, arguments)
    }

    /// Parses an expression; arguments replace `%@`, `%K`, `%d` and so on.
    ///
    /// - Precondition: The format is valid; the trap's message says how to correct it.
    @_disfavoredOverload
    public convenience init(format: String, _ arguments: Any?...) {
        self.init(trapping: format, arguments)
    }

    private convenience init(trapping format: String, _ arguments: [Any?]) {
        do {
            self.init(node: try NSExpression.parse(format, arguments).node)
        } catch {
            trap("Unable to parse the format string \"\(format)\": \(error)")
        }
    }
}
