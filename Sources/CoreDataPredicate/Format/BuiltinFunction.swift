package struct BuiltinFunction: Sendable {
    package let name: String
    package let arity: Int
    /// Whether the argument is a collection. In a format, its elements may also be separate
    /// arguments.
    package let isAggregate: Bool

    /// An error about an invalid call, with a remedy.
    struct CallError: Error, CustomStringConvertible {
        let problem: String
        let advice: String
        var description: String { "\(problem); \(advice)" }
    }

    /// Creates the node of a call. The colon of a function with one argument may be missing.
    static func call(
        _ name: String, _ arguments: [NSExpression]
    ) throws(CallError) -> ExpressionNode {
        let bare = name.hasSuffix(":") ? String(name.dropLast()) : name
        if bare == "random", arguments.isEmpty { return .function("random", []) }
        guard let function = byName[bare] ?? byName[name] else {
            throw CallError(
                problem: "'\(name)' is not a function",
                advice: "write one of \(all.map(\.name).joined(separator: ", "))")
        }
        if function.isAggregate, arguments.count > 1 {
            return .function(function.name, [NSExpression(forAggregate: arguments)])
        }
        guard arguments.count == function.arity else {
            throw CallError(
                problem: "'\(function.name)' takes \(function.arity) arguments, not "
                    + "\(arguments.count)",
                advice: "write \(function.usage)")
        }
        return .function(function.name, arguments)
    }

    /// `FETCH(request, context, countOnly)`.
    package static let fetchName = "fetch:context:countOnly:"

    private var usage: String {
        let names = ["a", "b", "c"].prefix(arity).joined(separator: ", ")
        return "\(name)(\(names))"
    }

    /// All functions, in the order in which error messages list them.
    package static let all: [BuiltinFunction] = {
        let aggregates = ["sum", "count", "min", "max", "average", "median", "mode", "stddev"]
        let unary = [
            "sqrt", "log", "ln", "exp", "floor", "ceiling", "abs", "trunc", "uppercase",
            "lowercase", "canonical", "random", "randomn", "onesComplement", "noindex", "length",
            "first", "last",
        ]
        let binary = [
            "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "modulus:by:",
            "raise:toPower:", "bitwiseAnd:with:", "bitwiseOr:with:", "bitwiseXor:with:",
            "leftshift:by:", "rightshift:by:", "castObject:toType:", "indexed:by:",
        ]
        return aggregates.map { BuiltinFunction(name: $0 + ":", arity: 1, isAggregate: true) }
            + unary.map { BuiltinFunction(name: $0 + ":", arity: 1, isAggregate: false) }
            + binary.map { BuiltinFunction(name: $0, arity: 2, isAggregate: false) }
            + [BuiltinFunction(name: "now", arity: 0, isAggregate: false)]
    }()

    private static let byName: [String: BuiltinFunction] = {
        var table: [String: BuiltinFunction] = [:]
        for function in all {
            table[function.name] = function
            if function.arity < 2 {
                table[function.name.replacing(":", with: "")] = function
            }
        }
        return table
    }()
}
