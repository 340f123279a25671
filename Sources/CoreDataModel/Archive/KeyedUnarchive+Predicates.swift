import CoreDataPredicate

/// The reason why a part of an archive is not a readable predicate.
package struct UnreadablePredicate: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Reads predicates and expressions in the form in which Foundation archives them. They occur in
/// validation rules, derived attributes, fetch request templates and partial indexes.
extension KeyedUnarchive {
    /// The maximum nesting of expressions. The limit stops reading a damaged archive in which an
    /// expression contains itself.
    private static let depthMax = 200

    /// The predicate at a position.
    ///
    /// - Throws: a description of the object at the position if it is not a predicate.
    package func predicate(_ place: Int) throws(UnreadablePredicate) -> NSPredicate {
        try predicate(place, depth: 0)
    }

    /// The expression at a position.
    ///
    /// - Throws: a description of the object at the position if it is not an expression.
    package func expression(_ place: Int) throws(UnreadablePredicate) -> NSExpression {
        try expression(place, depth: 0)
    }

    private func predicate(_ place: Int, depth: Int) throws(UnreadablePredicate) -> NSPredicate {
        try checkDepth(depth)
        let fields = fields(place)
        switch className(place) {
        case "NSTruePredicate": return NSPredicate(value: true)
        case "NSFalsePredicate": return NSPredicate(value: false)
        case "NSCompoundPredicate":
            let number = UInt(exactly: integer(fields["NSCompoundPredicateType"]) ?? -1)
            guard let type = number.flatMap(NSCompoundPredicate.LogicalType.init(rawValue:)) else {
                throw UnreadablePredicate("a compound predicate of an unknown type")
            }
            var parts: [NSPredicate] = []
            for part in members(fields["NSSubpredicates"]) {
                parts.append(try predicate(part, depth: depth + 1))
            }
            guard type != .not || parts.count == 1 else {
                throw UnreadablePredicate("a negation of \(parts.count) predicates")
            }
            return NSCompoundPredicate(type: type, subpredicates: parts)
        case "NSComparisonPredicate": return try comparison(fields, depth: depth)
        case let name: throw UnreadablePredicate("a predicate of the class \(name ?? "nil")")
        }
    }

    private func comparison(
        _ fields: [String: ArchiveValue], depth: Int
    ) throws(UnreadablePredicate) -> NSPredicate {
        let rule = place(fields["NSPredicateOperator"]).map { self.fields($0) } ?? [:]
        let type = UInt(exactly: integer(rule["NSOperatorType"]) ?? -1)
        guard let type = type.flatMap(NSComparisonPredicate.Operator.init(rawValue:)),
            type != .customSelector
        else { throw UnreadablePredicate("a comparison by a selector") }
        let modifier = UInt(exactly: integer(rule["NSModifier"]) ?? 0)
        // A string operator stores its options under another key.
        let options = UInt(exactly: integer(rule["NSOptions"]) ?? integer(rule["NSFlags"]) ?? 0)
        return NSComparisonPredicate(
            leftExpression: try expression(at: fields["NSLeftExpression"], depth: depth),
            rightExpression: try expression(at: fields["NSRightExpression"], depth: depth),
            modifier: modifier.flatMap(NSComparisonPredicate.Modifier.init(rawValue:)) ?? .direct,
            type: type, options: NSComparisonPredicate.Options(rawValue: options ?? 0))
    }

    private func expression(
        at field: ArchiveValue?, depth: Int
    ) throws(UnreadablePredicate) -> NSExpression {
        guard let place = place(field) else { throw UnreadablePredicate("an empty expression") }
        return try expression(place, depth: depth + 1)
    }

    private func expression(_ place: Int, depth: Int) throws(UnreadablePredicate) -> NSExpression {
        try checkDepth(depth)
        let fields = fields(place)
        switch integer(fields["NSExpressionType"]) {
        case 0: return try constantExpression(fields, depth: depth)
        case 1: return NSExpression(expressionType: .evaluatedObject)
        case 2: return NSExpression(forVariable: string(fields["NSVariable"]) ?? "")
        case 10: return NSExpression(forKeyPath: string(fields["NSKeyPath"]) ?? "")
        case 3, 4: return try call(fields, depth: depth)
        case 13:
            guard let predicate = self.place(fields["NSPredicate"]) else {
                throw UnreadablePredicate("a subquery without a predicate")
            }
            return NSExpression(
                forSubquery: try expression(at: fields["NSCollection"], depth: depth),
                usingIteratorVariable: string(fields["NSVariable"]) ?? "",
                predicate: try self.predicate(predicate, depth: depth + 1))
        case 14: return NSExpression(forAggregate: try list(fields["NSCollection"], depth: depth))
        case 15: return NSExpression(expressionType: .anyKey)
        default:
            throw UnreadablePredicate("an expression of the class \(className(place) ?? "nil")")
        }
    }

    private func constantExpression(
        _ fields: [String: ArchiveValue], depth: Int
    ) throws(UnreadablePredicate) -> NSExpression {
        let field = fields["NSConstantValue"]
        if let value = constant(field) { return NSExpression(forConstantValue: value) }
        guard let place = place(field) else { return NSExpression(forConstantValue: nil) }
        let members = members(.reference(place)).map { constant(.reference($0)) }
        guard self.fields(place)["NS.objects"] != nil, members.allSatisfy({ $0 != nil }) else {
            throw UnreadablePredicate("a constant of the class \(className(place) ?? "nil")")
        }
        return NSExpression(forConstantValue: members.compactMap { $0 })
    }

    /// A function call. A key path is a call of `valueForKeyPath:`.
    private func call(
        _ fields: [String: ArchiveValue], depth: Int
    ) throws(UnreadablePredicate) -> NSExpression {
        let name = string(fields["NSSelectorName"]) ?? ""
        let arguments = try list(fields["NSArguments"], depth: depth)
        guard name == "valueForKey:" || name == "valueForKeyPath:" else {
            guard let call = NSExpression(call: name, arguments) else {
                throw UnreadablePredicate("a call of the function \(name)")
            }
            return call
        }
        let path: String? =
            switch arguments.first?.node {
            case .keyPath(let keys)?: keys.joined(separator: ".")
            case .constant(let value)?: value as? String
            default: nil
            }
        guard let path, !path.isEmpty else { throw UnreadablePredicate("a path without keys") }
        let base = try expression(at: fields["NSOperand"], depth: depth)
        if case .evaluatedObject = base.node { return NSExpression(forKeyPath: path) }
        return NSExpression(node: .path(base, path.split(separator: ".").map(String.init)))
    }

    private func list(
        _ field: ArchiveValue?, depth: Int
    ) throws(UnreadablePredicate) -> [NSExpression] {
        var found: [NSExpression] = []
        for place in members(field) { found.append(try expression(place, depth: depth + 1)) }
        return found
    }

    private func checkDepth(_ depth: Int) throws(UnreadablePredicate) {
        if depth > Self.depthMax { throw UnreadablePredicate("parts that contain themselves") }
    }
}
