import CoreDataTrace
import Foundation

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
        return instance(of: predicate)
    }

    /// The predicate itself if it is of this class; otherwise a predicate of this class with the
    /// same content.
    static func instance(of predicate: NSPredicate) -> Self {
        if let predicate = predicate as? Self { return predicate }
        let isFitting =
            switch predicate {
            case is NSComparisonPredicate: !(Self.self is NSCompoundPredicate.Type)
            case is NSCompoundPredicate: !(Self.self is NSComparisonPredicate.Type)
            default:
                !(Self.self is NSComparisonPredicate.Type)
                    && !(Self.self is NSCompoundPredicate.Type)
            }
        guard isFitting else {
            trap(
                "\"\(predicate)\" is a \(type(of: predicate)), not a \(Self.self);"
                    + " use NSPredicate")
        }
        guard let made = Self(coder: PredicateContent(predicate.node)) else {
            trap("\(Self.self).init(coder:) returned nil; call super.init(coder:)")
        }
        return made
    }
}

/// Passes the content of a predicate to the initialiser of a subclass.
///
/// Only a required initialiser creates an object of a class that is known at run time, and
/// `init(coder:)` is the one that subclasses on Apple's systems implement.
final class PredicateContent: NSCoder {
    let node: PredicateNode

    init(_ node: PredicateNode) {
        self.node = node
        super.init()
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
