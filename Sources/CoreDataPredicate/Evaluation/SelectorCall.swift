import Foundation

/// A type whose methods expressions can call by name.
///
/// Swift on Linux cannot look up methods by name, so a table lists the methods that predicates use.
package protocol MethodsCallableByName {
    /// Calls a method.
    ///
    /// - Throws: ``PredicateEvaluationError`` for a method that the object does not have.
    func call(
        _ name: String, _ arguments: [Any?]
    ) throws(PredicateEvaluationError) -> Any?
}

/// The methods that can be called by name.
enum SelectorCall {
    static func value(
        of name: String, on target: Operand, _ arguments: [Operand]
    ) throws(PredicateEvaluationError) -> Operand {
        if target.isNull { return .null }
        if case .object(let object) = target, let callable = object as? any MethodsCallableByName {
            return Operand(try callable.call(name, arguments.map(\.any)))
        }
        if arguments.isEmpty, name == "description" {
            return .string(target.any.map { String(describing: $0) } ?? "")
        }
        if arguments.isEmpty, let value = BuiltinKey.value(of: name, target) { return value }
        if arguments.count == 1 {
            if name == "valueForKey:" || name == "valueForKeyPath:",
                case .string(let path) = arguments[0]
            {
                let keys = path.split(separator: ".").map(String.init)
                return Operand(try KeyReading.value(at: keys[...], of: target.any))
            }
            if let value = value(of: name, target, arguments[0]) { return value }
        }
        throw PredicateEvaluationError(
            "\(target.kind) has no method '\(name)' that can be called by name; compute the value "
                + "in Swift and pass it as an argument")
    }

    private static func value(
        of name: String, _ target: Operand, _ argument: Operand
    ) -> Operand? {
        switch (target, argument) {
        case (.date(let seconds), _):
            if name == "isEqualToDate:" {
                return truth(OperandComparison.areIdentical(target, argument))
            }
            if name == "timeIntervalSinceDate:", case .date(let other) = argument {
                return .double(seconds - other)
            }
            guard name == "dateByAddingTimeInterval:" || name == "addTimeInterval:" else {
                return nil
            }
            return argument.double.map { .date(seconds + $0) }
        case (.string(let text), .string(let other)):
            return string(name, text, other)
        case (.string(let text), .integer(let position)):
            let units = Array(text.utf16)
            guard let position = Int(exactly: position), (0...units.count).contains(position) else {
                return nil
            }
            switch name {
            case "substringFromIndex:":
                return .string(String(decoding: units[position...], as: UTF16.self))
            case "substringToIndex:":
                return .string(String(decoding: units[..<position], as: UTF16.self))
            default: return nil
            }
        default: return nil
        }
    }

    private static func string(_ name: String, _ text: String, _ other: String) -> Operand? {
        switch name {
        case "stringByAppendingString:": return .string(text + other)
        case "hasPrefix:": return truth(text.hasPrefix(other))
        case "hasSuffix:": return truth(text.hasSuffix(other))
        case "containsString:": return truth(text.contains(other))
        case "localizedStandardContainsString:":
            return truth(text.localizedStandardContains(other))
        case "localizedCaseInsensitiveContainsString:":
            return truth(text.localizedCaseInsensitiveContains(other))
        case "isEqualToString:": return truth(StringOrder.areSame(text, other))
        default:
            return StringOrder(selector: name).map {
                .integer(Int64($0.compare(text, other).rawValue))
            }
        }
    }

    private static func truth(_ value: Bool) -> Operand { .integer(value ? 1 : 0) }
}
