import Foundation

/// The built-in functions by their full names.
enum FunctionEvaluation {
    static let ofMembers: Set = [
        "sum:", "count:", "min:", "max:", "average:", "median:", "mode:", "stddev:", "first:",
        "last:",
    ]

    static func value(
        of name: String, _ arguments: [Operand]
    ) throws(PredicateEvaluationError) -> Operand {
        switch (name, arguments.count) {
        case ("now", 0): return .date(Date().timeIntervalSinceReferenceDate)
        case ("random", 0): return .double(Double.random(in: 0..<1))
        case ("castObject:toType:", 2): return try cast(arguments[0], arguments[1])
        case ("indexed:by:", 2): return arguments[0]
        case (BuiltinFunction.fetchName, 3): return try fetch(arguments)
        case (_, 1): return try unary(name, arguments[0])
        case (_, 2): return try Arithmetic.value(of: name, arguments[0], arguments[1])
        default: throw PredicateEvaluationError("'\(name)' is not a function")
        }
    }

    private static func fetch(_ arguments: [Operand]) throws(PredicateEvaluationError) -> Operand {
        guard let request = arguments[0].any as? any FetchableRequest,
            let context = arguments[1].any
        else {
            throw PredicateEvaluationError(
                "FETCH needs a fetch request and a context, and got \(arguments[0].kind) and"
                    + " \(arguments[1].kind); write FETCH(%@, %@, NO)")
        }
        let isCountOnly = (arguments[2].double ?? 0) != 0
        return Operand(try request.results(in: context, countOnly: isCountOnly))
    }

    private static func unary(
        _ name: String, _ argument: Operand
    ) throws(PredicateEvaluationError) -> Operand {
        switch name {
        case _ where ofMembers.contains(name): return try aggregate(name, argument)
        case "noindex:": return argument
        case _ where argument.isNull: return .null
        case "uppercase:": return .string(try text(name, argument).uppercased())
        case "lowercase:": return .string(try text(name, argument).lowercased())
        case "canonical:":
            let options: NSComparisonPredicate.Options = [.caseInsensitive, .diacriticInsensitive]
            return .string(StringSearch.folded(try text(name, argument), options))
        case "length:": return .integer(try length(argument))
        default: return try number(name, argument)
        }
    }

    private static func aggregate(
        _ name: String, _ argument: Operand
    ) throws(PredicateEvaluationError) -> Operand {
        if argument.isNull { return name == "count:" || name == "sum:" ? .integer(0) : .null }
        guard case .collection(let collection) = argument else {
            throw PredicateEvaluationError(
                "\(name) needs a collection and got \(argument.kind); pass a to-many path or {…}")
        }
        let operands = collection.elements.map { Operand($0) }
        switch name {
        case "count:": return .integer(Int64(operands.count { !$0.isNull }))
        case "first:": return operands.first ?? .null
        case "last:": return operands.last ?? .null
        case "sum:": return try Statistics.sum(operands)
        case "min:": return try Statistics.extreme(operands, .orderedAscending)
        case "max:": return try Statistics.extreme(operands, .orderedDescending)
        case "average:":
            let known = operands.filter { !$0.isNull }
            if known.isEmpty { return .null }
            return try Arithmetic.quotient(try Statistics.sum(known), Double(known.count))
        default: break
        }
        let numbers = try Statistics.numbers(operands)
        switch name {
        case "median:": return Statistics.median(numbers).map(Operand.double) ?? .null
        case "stddev:": return Statistics.deviation(numbers).map(Operand.double) ?? .null
        default:
            return .collection(
                OperandCollection(elements: Statistics.modes(numbers), isSet: false))
        }
    }

    private static func number(
        _ name: String, _ argument: Operand
    ) throws(PredicateEvaluationError) -> Operand {
        if case .integer(let integer) = argument, let found = try whole(name, integer) {
            return found
        }
        guard let number = argument.double else {
            throw PredicateEvaluationError(
                "\(name) needs a number and got \(argument.kind); CAST it to NSNumber")
        }
        switch name {
        case "sqrt:": return .double(number.squareRoot())
        case "log:": return .double(log10(number))
        case "ln:": return .double(log(number))
        case "exp:": return .double(exp(number))
        case "floor:": return .double(number.rounded(.down))
        case "ceiling:": return .double(number.rounded(.up))
        case "trunc:": return .double(number.rounded(.towardZero))
        case "abs:":
            if case .decimal(let decimal) = argument { return .decimal(abs(decimal)) }
            return .double(number.magnitude)
        default:
            throw PredicateEvaluationError("\(name) needs a whole number; trunc() it first")
        }
    }

    /// The result for an integer without a conversion to a double; nil if the conversion is
    /// necessary.
    private static func whole(
        _ name: String, _ integer: Int64
    ) throws(PredicateEvaluationError) -> Operand? {
        switch name {
        case "floor:", "ceiling:", "trunc:": return .integer(integer)
        case "abs:": return integer == .min ? nil : .integer(abs(integer))
        case "onesComplement:": return .integer(~integer)
        case "random:", "randomn:":
            guard integer > 0 else {
                throw PredicateEvaluationError("\(name) needs a positive number, not \(integer)")
            }
            return .integer(Int64.random(in: 0..<integer))
        default: return nil
        }
    }

    /// The number of UTF-16 units of a string, as in NSString, or of bytes of data.
    private static func length(_ operand: Operand) throws(PredicateEvaluationError) -> Int64 {
        if case .data(let data) = operand { return Int64(data.count) }
        return Int64(try text("length:", operand).utf16.count)
    }

    private static func text(
        _ name: String, _ operand: Operand
    ) throws(PredicateEvaluationError) -> String {
        guard case .string(let text) = operand else {
            throw PredicateEvaluationError(
                "\(name) needs a string and got \(operand.kind); CAST it to NSString")
        }
        return text
    }

    private static func cast(
        _ value: Operand, _ name: Operand
    ) throws(PredicateEvaluationError) -> Operand {
        guard case .string(let name) = name, let type = CastType(rawValue: name) else {
            let types = CastType.allCases.map(\.rawValue).joined(separator: ", ")
            throw PredicateEvaluationError("CAST needs the name of a type; write one of \(types)")
        }
        guard let converted = type.converted(value) else {
            throw PredicateEvaluationError(
                "Don't know how to cast \(value.kind) to \(name); convert it before the predicate")
        }
        return converted
    }
}
