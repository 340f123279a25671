import CoreDataPredicate

// Writes predicates and expressions in the form in which Foundation archives them.

extension KeyedArchive {
    /// A predicate. Nil if an archive cannot hold a part of the predicate, such as a block.
    mutating func predicate(_ predicate: NSPredicate) -> ArchiveValue? {
        switch predicate {
        case let compound as NSCompoundPredicate:
            var parts: [ArchiveValue] = []
            for part in compound.subpredicates {
                guard let written = (part as? NSPredicate).flatMap({ self.predicate($0) }) else {
                    return nil
                }
                parts.append(written)
            }
            let number = Int64(compound.compoundPredicateType.rawValue)
            return add(
                ["NSCompoundPredicate", "NSPredicate", "NSObject"],
                [("NSCompoundPredicateType", .integer(number)), ("NSSubpredicates", array(parts))])
        case let comparison as NSComparisonPredicate: return self.comparison(comparison)
        default:
            guard case .constant(let flag) = predicate.node else { return nil }
            let name = flag ? "NSTruePredicate" : "NSFalsePredicate"
            return add([name, "NSPredicate", "NSObject"], [])
        }
    }

    private mutating func comparison(_ comparison: NSComparisonPredicate) -> ArchiveValue? {
        let type = comparison.predicateOperatorType
        guard type != .customSelector,
            let left = expression(comparison.leftExpression),
            let right = expression(comparison.rightExpression)
        else { return nil }
        var fields: [(key: String, value: ArchiveValue)] = [
            ("NSOperatorType", .integer(Int64(type.rawValue))),
            ("NSModifier", .integer(Int64(comparison.comparisonPredicateModifier.rawValue))),
        ]
        let options = ArchiveValue.integer(Int64(comparison.options.rawValue))
        let name: String
        switch type {
        case .equalTo, .notEqualTo:
            name = "NSEqualityPredicateOperator"
            fields += [("NSOptions", options), ("NSNegate", .boolean(type == .notEqualTo))]
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            name = "NSComparisonPredicateOperator"
            fields += [("NSOptions", options), ("NSVariant", .integer(Int64(type.rawValue)))]
        case .between:
            name = "NSBetweenPredicateOperator"
            fields.append(("NSOptions", options))
        case .in, .contains:
            name = "NSInPredicateOperator"
            fields.append(("NSFlags", options))
        case .matches, .like:
            name = type == .like ? "NSLikePredicateOperator" : "NSMatchingPredicateOperator"
            fields.append(("NSFlags", options))
        default:
            name = "NSSubstringPredicateOperator"
            fields += [
                ("NSFlags", options), ("NSPosition", .integer(type == .beginsWith ? 1 : 2)),
            ]
        }
        let rule = add([name, "NSPredicateOperator", "NSObject"], fields)
        return add(
            ["NSComparisonPredicate", "NSPredicate", "NSObject"],
            [
                ("NSLeftExpression", left), ("NSRightExpression", right),
                ("NSPredicateOperator", rule),
            ])
    }

    /// An expression. Nil if an archive cannot hold a part of the expression.
    package mutating func expression(_ expression: NSExpression) -> ArchiveValue? {
        switch expression.node {
        case .constant(let value): return constantExpression(value)
        case .evaluatedObject: return self.expression("NSSelfExpression", 1, [])
        case .anyKey: return self.expression("NSAnyKeyExpression", 15, [])
        case .variable(let name):
            return self.expression("NSVariableExpression", 2, [("NSVariable", string(name))])
        case .keyPath(let keys):
            let operand = self.expression("NSSelfExpression", 1, [])
            return path(keys, of: operand)
        case .path(let base, let keys): return self.expression(base).map { path(keys, of: $0) }
        case .function(let name, let arguments):
            let library = self.expression(
                "NSConstantValueExpression", 0,
                [("NSConstantValueClassName", string("_NSPredicateUtilities"))])
            guard let written = list(arguments) else { return nil }
            return self.expression(
                "NSFunctionExpression", 4,
                [
                    ("NSOperand", library), ("NSSelectorName", string(name)),
                    ("NSArguments", array(written)),
                ])
        case .aggregate(let members):
            guard let written = list(members) else { return nil }
            return self.expression(
                "NSAggregateExpression", 14, [("NSCollection", array(written))])
        case .subquery(let collection, let variable, let predicate):
            guard let source = self.expression(collection), let test = self.predicate(predicate)
            else { return nil }
            return self.expression(
                "NSSubqueryExpression", 13,
                [
                    ("NSCollection", source), ("NSVariable", string(variable)),
                    ("NSPredicate", test),
                ])
        case .selector(let base, let name, let arguments):
            guard let operand = self.expression(base), let written = list(arguments) else {
                return nil
            }
            return self.expression(
                "NSFunctionExpression", 4,
                [
                    ("NSOperand", operand), ("NSSelectorName", string(name)),
                    ("NSArguments", array(written)),
                ])
        case .element, .set, .conditional, .assignment, .block: return nil
        }
    }

    private mutating func list(_ expressions: [NSExpression]) -> [ArchiveValue]? {
        var written: [ArchiveValue] = []
        for part in expressions {
            guard let value = expression(part) else { return nil }
            written.append(value)
        }
        return written
    }

    private mutating func expression(
        _ name: String, _ type: Int64, _ fields: [(key: String, value: ArchiveValue)]
    ) -> ArchiveValue {
        add(
            [name, "NSExpression", "NSObject"],
            [(key: "NSExpressionType", value: .integer(type))] + fields)
    }

    private mutating func path(_ keys: [String], of operand: ArchiveValue) -> ArchiveValue {
        let specifier = expression(
            "NSKeyPathSpecifierExpression", 10,
            [("NSKeyPath", string(keys.joined(separator: ".")))])
        return add(
            ["NSKeyPathExpression", "NSFunctionExpression", "NSExpression", "NSObject"],
            [
                ("NSExpressionType", .integer(3)), ("NSOperand", operand),
                ("NSSelectorName", string(keys.count == 1 ? "valueForKey:" : "valueForKeyPath:")),
                ("NSArguments", mutableArray([specifier])),
            ])
    }

    private mutating func constantExpression(_ value: Any?) -> ArchiveValue? {
        let written: ArchiveValue
        switch value {
        case nil: written = KeyedArchive.null
        case let members as [Any]:
            var list: [ArchiveValue] = []
            for member in members {
                guard let constant = AttributeConstant(plainValue: member) else { return nil }
                list.append(add(constant))
            }
            written = array(list)
        case let value?:
            guard let constant = AttributeConstant(plainValue: value) else { return nil }
            written = add(constant)
        }
        return expression("NSConstantValueExpression", 0, [("NSConstantValue", written)])
    }
}
