import Foundation

extension PredicateExpressions.Value: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        .value(NSExpression(forConstantValue: SwiftConstant.plain(value)))
    }
}

extension PredicateExpressions.NilLiteral: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        .value(NSExpression(forConstantValue: nil))
    }
}

extension PredicateExpressions.Variable: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        .value(try translation.expression(of: self))
    }
}

extension PredicateExpressions.KeyPath: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        let owner = try translation.value(root)
        guard let name = KeyPathNames.name(of: keyPath) else {
            throw SwiftTranslation.Untranslatable()
        }
        let isText = Root.Output.self == String.self
        if Root.Output.self is any Collection.Type {
            switch name {
            case "count" where isText:
                return .value(NSExpression(forFunction: "length:", arguments: [owner]))
            case "count": return .value(SwiftTranslation.count(of: owner))
            case "isEmpty" where isText:
                return .condition(
                    SwiftTranslation.compare(owner, .equalTo, NSExpression(forConstantValue: "")))
            case "isEmpty":
                return .condition(
                    SwiftTranslation.compare(
                        SwiftTranslation.count(of: owner), .equalTo,
                        NSExpression(forConstantValue: 0)))
            case "first", "last":
                return .value(
                    NSExpression(node: .element(owner, name == "first" ? .first : .last)))
            default: throw SwiftTranslation.Untranslatable()
            }
        }
        let keys = name.split(separator: ".").map(String.init)
        return .value(SwiftTranslation.path(keys, of: owner))
    }
}

// MARK: Optionals

extension PredicateExpressions.OptionalFlatMap: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        // Optional chaining needs no translation: a path through nil is nil in NSPredicate, too.
        translation.bind(variable, to: try translation.value(wrapped))
        return .value(try translation.value(transform))
    }
}

extension PredicateExpressions.ForcedUnwrap: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        .value(try translation.value(inner))
    }
}

extension PredicateExpressions.NilCoalesce: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        let (value, other) = (try translation.value(lhs), try translation.value(rhs))
        let isThere = SwiftTranslation.compare(
            value, .notEqualTo, NSExpression(forConstantValue: nil))
        return .value(
            NSExpression(forConditional: isThere, trueExpression: value, falseExpression: other))
    }
}

extension PredicateExpressions.Conditional: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        let condition = try translation.condition(test)
        let (one, other) = (
            try translation.value(trueBranch), try translation.value(falseBranch)
        )
        return .value(
            NSExpression(forConditional: condition, trueExpression: one, falseExpression: other))
    }
}

// MARK: Arithmetic

extension SwiftTranslation {
    mutating func call(_ name: String, _ left: Any, _ right: Any) throws -> Part {
        let arguments = [try value(left), try value(right)]
        return .value(NSExpression(forFunction: name, arguments: arguments))
    }
}

extension PredicateExpressions.Arithmetic: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        switch op {
        case .add: try translation.call("add:to:", lhs, rhs)
        case .subtract: try translation.call("from:subtract:", lhs, rhs)
        case .multiply: try translation.call("multiply:by:", lhs, rhs)
        @unknown default: throw SwiftTranslation.Untranslatable()
        }
    }
}

extension PredicateExpressions.FloatDivision: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        try translation.call("divide:by:", lhs, rhs)
    }
}

extension PredicateExpressions.IntDivision: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        // The quotient of two integers is an integer, in memory and in SQL.
        try translation.call("divide:by:", lhs, rhs)
    }
}

extension PredicateExpressions.IntRemainder: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        try translation.call("modulus:by:", lhs, rhs)
    }
}

extension PredicateExpressions.UnaryMinus: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        let value = try translation.value(wrapped)
        return .value(
            NSExpression(
                forFunction: "multiply:by:",
                arguments: [value, NSExpression(forConstantValue: -1)]))
    }
}

// MARK: Collections

extension PredicateExpressions.Filter: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        .value(try translation.subquery(sequence, variable, filter))
    }
}

extension PredicateExpressions.SequenceMaximum: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        .value(
            NSExpression(forFunction: "max:", arguments: [try translation.value(elements)]))
    }
}

extension PredicateExpressions.SequenceMinimum: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        .value(
            NSExpression(forFunction: "min:", arguments: [try translation.value(elements)]))
    }
}

extension PredicateExpressions.CollectionIndexSubscript: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        let (list, position) = (try translation.value(wrapped), try translation.value(index))
        return .value(NSExpression(node: .element(list, .at(position))))
    }
}

extension PredicateExpressions.DictionaryKeySubscript: SwiftTranslatable {
    func part(_ translation: inout SwiftTranslation) throws -> SwiftTranslation.Part {
        let (values, key) = (try translation.value(wrapped), try translation.value(key))
        return .value(NSExpression(node: .element(values, .at(key))))
    }
}

/// Converts constants to the values that predicates compare.
private enum SwiftConstant {
    /// The wrapped value of an optional, the raw value of an enumeration case, or a character as a
    /// string.
    static func plain(_ value: Any) -> Any? {
        if let optional = value as? any AnyOptional {
            guard let wrapped = optional.wrappedValue else { return nil }
            return plain(wrapped)
        }
        if let character = value as? Character { return String(character) }
        if let raw = value as? any RawRepresentable {
            return plain(raw.rawValue)
        }
        return value
    }
}

private protocol AnyOptional {
    var wrappedValue: Any? { get }
}

extension Optional: AnyOptional {
    var wrappedValue: Any? { map { $0 as Any } }
}
