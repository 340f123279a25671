import CoreDataModel
import CoreDataPredicate

extension PredicateTranslator {
    func translate(
        _ comparison: Comparison, of predicate: NSPredicate, isRequired: Bool
    ) throws(QueryRefusal) -> Fragment {
        guard comparison.operator != .customSelector else {
            throw refuse("Unsupported predicate \(predicate.predicateFormat)")
        }
        // An inner join drops rows whose to-one relationship is nil, so such rows must not match.
        // They may match in two cases: the comparison is true for nil, or it has the modifier ALL,
        // which is true if there are no members.
        let joinsInner = isRequired && !matchesNull(comparison) && comparison.modifier != .all
        let left = try side(comparison.left, isRequired: joinsInner)
        if case .toMany(let step, let rest) = left {
            return try members(step, rest, comparison, isRequired: isRequired)
        }
        let isAny = comparison.modifier == .any && !matchesNull(comparison)
        guard comparison.modifier == .direct || isAny else {
            throw refuse(
                "The left hand side for an ALL or ANY operator must be a to-many key: "
                    + predicate.predicateFormat)
        }
        let right = try side(comparison.right, isRequired: joinsInner)
        if isAny {
            guard case .toMany = right else {
                // ANY of a single value compares the value. ANY is never unknown (NULL).
                let condition = try compare(left, right, comparison)
                return isRequired ? condition : " NOT ((" + condition + ") \(dialect.isNotTrue))"
            }
            throw refuse("to-many key not allowed here")
        }
        if case .toMany(let step, let rest) = right {
            return try membersOnTheRight(step, rest, comparison, isRequired: isRequired)
        }
        return try compare(left, right, comparison)
    }

    private func matchesNull(_ comparison: Comparison) -> Bool {
        [comparison.left, comparison.right].contains { expression in
            if case .constant(let value) = expression.node { return Operand(value).isNull }
            return false
        }
    }

    package func compare(
        _ left: Side, _ right: Side, _ comparison: Comparison
    ) throws(QueryRefusal) -> Fragment {
        switch comparison.operator {
        case .lessThan: try compare(left, right, "<", comparison)
        case .lessThanOrEqualTo: try compare(left, right, "<=", comparison)
        case .greaterThan: try compare(left, right, ">", comparison)
        case .greaterThanOrEqualTo: try compare(left, right, ">=", comparison)
        case .equalTo: try compareEqual(left, right, comparison, isEqual: true)
        case .notEqualTo: try compareEqual(left, right, comparison, isEqual: false)
        case .between: try between(left, right, comparison)
        case .in: try isIn(left, right, comparison)
        case .contains: try contains(left, right, comparison)
        case .beginsWith: try search(left, right, comparison, .begins)
        case .endsWith: try search(left, right, comparison, .ends)
        case .like: try search(left, right, comparison, .like)
        case .matches: try match(left, right, comparison)
        case .customSelector: throw refuse("Unsupported predicate: a selector")
        }
    }

    private func compareEqual(
        _ left: Side, _ right: Side, _ comparison: Comparison, isEqual: Bool
    ) throws(QueryRefusal) -> Fragment {
        let test = isEqual ? " IS NULL" : " IS NOT NULL"
        if case .constant(let operand) = right, operand.isNull {
            return " " + (try text(left, against: right)) + test
        }
        if case .constant(let operand) = left, operand.isNull {
            return " " + (try text(right, against: left)) + test
        }
        return try compare(left, right, isEqual ? "=" : "<>", comparison)
    }

    private func compare(
        _ left: Side, _ right: Side, _ sign: String, _ comparison: Comparison
    ) throws(QueryRefusal) -> Fragment {
        try checkLike(left, right)
        let leftText = try text(left, against: right)
        let rightText = try text(right, against: left)
        let collation = try collation(comparison, left, right)
        let test =
            " " + leftText + collation + " \(sign) "
            + (rightText.isParameter ? rightText : " " + rightText)
        guard let begins = Self.signsOfBeginnings[sign] else { return test }
        return indexed(test, left, right) { beginning in
            beginning(leftText) + " \(begins) " + beginning(rightText)
        }
    }

    /// The comparisons that the beginnings of two values pass if the values pass the comparison.
    private static let signsOfBeginnings = [
        "=": "=", "<": "<=", "<=": "<=", ">": ">=", ">=": ">=",
    ]

    /// Adds a comparison of beginnings to the comparison of a column with constants or a list, if
    /// an index of the column contains only the beginnings of its values.
    ///
    /// - Parameter body: creates the additional comparison by a function that returns the beginning
    ///   of a value.
    private func indexed(
        _ test: Fragment, _ left: Side, _ right: Side,
        _ body: ((Fragment) -> Fragment) -> Fragment
    ) -> Fragment {
        let found: (before: String, after: String)?
        switch (left, right) {
        case (.column(let column), .constant), (.constant, .column(let column)),
            (.column(let column), .list):
            found = column.beginning
        default: found = nil
        }
        guard let (before, after) = found else { return test }
        return " (" + body { before + $0 + after } + " AND" + test + ")"
    }

    /// The COLLATE clause that the options of a string comparison require.
    func collation(
        _ comparison: Comparison, _ left: Side, _ right: Side
    ) throws(QueryRefusal) -> String {
        let isText = [left, right].allSatisfy { side in
            switch side {
            case .column(let column): column.kind == .string || column.kind == .uri
            case .constant(.string), .constant(.url), .constant(.collection), .list: true
            case .constant: false
            case .computed(_, let kind): kind == nil || kind == .string
            case .toMany: false
            }
        }
        if !isText { return "" }
        guard let collation = dialect.collation(StringOrder(comparison.options)) else {
            throw beyondSQL("Unsupported options of a comparison of texts")
        }
        return collation
    }

    /// Translates one side of a comparison. A constant is bound in the form that the other side's
    /// column stores.
    package func text(_ side: Side, against other: Side) throws(QueryRefusal) -> Fragment {
        switch side {
        case .column(let column): return Fragment(column.text)
        case .computed(let fragment, _): return fragment
        case .constant(let operand):
            switch other {
            case .column(let column): return try parameter(operand, against: column)
            case .computed(_, let kind): return .parameter(try binding(operand, for: kind))
            default: return .parameter(try binding(operand, for: nil))
            }
        case .list: throw beyondSQL("Unsupported predicate: a list instead of a value")
        case .toMany: throw refuse("to-many key not allowed here")
        }
    }

    private func between(
        _ left: Side, _ right: Side, _ comparison: Comparison
    ) throws(QueryRefusal) -> Fragment {
        let bounds = try elements(right, against: left, dropsMissing: false)
        guard bounds.count == 2 else {
            throw refuse("Unsupported predicate: BETWEEN needs two bounds, not \(bounds.count)")
        }
        let value = try text(left, against: right)
        let collation = try collation(comparison, left, right)
        let test = "(" + value + collation + " Between " + bounds[0] + " AND " + bounds[1] + ")"
        guard let box = box(comparison.left) else {
            return indexed(test, left, right) { beginning in
                beginning(value) + " BETWEEN " + beginning(bounds[0]) + " AND "
                    + beginning(bounds[1])
            }
        }
        // The R-tree stores rounded numbers, so it may find too many rows. The first test removes
        // them.
        return "(" + test + " AND \(box.key) IN (SELECT \(names.key) FROM \(box.tree) WHERE "
            + "\(box.column)_MIN <= " + bounds[1] + " AND \(box.column)_MAX >= " + bounds[0] + "))"
    }

    /// The R-tree that `indexed:by:(latitude, 'places')` names, if the store contains it.
    private func box(
        _ expression: NSExpression
    ) -> (tree: String, column: String, key: String)? {
        guard case .function("indexed:by:", let arguments) = expression.node,
            arguments.count == 2, case .string(let name) = arguments[1].constantOperand,
            case .keyPath(let keys) = arguments[0].node, keys.count == 1,
            let slot = root.entity.valueSlot(named: keys[0]),
            let column = root.entity.values[slot].column,
            let index = root.entity.indexes.first(where: { index in
                index.isSpatial && index.name.hasSuffix("_\(name)")
                    && index.elements.contains { $0.slot == slot }
            })
        else { return nil }
        guard leavesResidue, let tree = dialect.boxTable(of: index),
            schema.boxTables.contains(tree)
        else { return nil }
        return (tree, column, "\(root.alias).\(names.key)")
    }
}

// MARK: IN

extension PredicateTranslator {
    private func isIn(
        _ left: Side, _ right: Side, _ comparison: Comparison
    ) throws(QueryRefusal) -> Fragment {
        switch right {
        case .constant(.collection(let collection)):
            if case .column(let column) = left,
                let keys = try integers(collection.elements.map { Operand($0) }, column)
            {
                return " " + dialect.isAmong(column.text, .parameter(.array(keys)))
            }
            return try isInList(left, right, comparison)
        case .list: return try isInList(left, right, comparison)
        // IN with a string on the right side searches for a substring.
        case .constant(.string), .column, .computed:
            return try search(right, left, comparison, .contains)
        case .constant, .toMany:
            throw refuse("Unsupported predicate: the right side of IN is not a collection")
        }
    }

    private func isInList(
        _ left: Side, _ right: Side, _ comparison: Comparison
    ) throws(QueryRefusal) -> Fragment {
        let elements = try elements(right, against: left, dropsMissing: true)
        // Databases with types also have no empty lists.
        if elements.isEmpty, dialect.isTyped { return Fragment(" 1 = 0") }
        let value = try text(left, against: right)
        let test =
            " " + value + (try collation(comparison, left, right)) + " IN ("
            + Fragment.joined(elements, separator: ", ") + ")"
        // A long list would need more parameters than the database allows.
        guard elements.count <= 1_000 else { return test }
        return indexed(test, left, right) { beginning in
            beginning(value) + " IN ("
                + Fragment.joined(elements.map(beginning), separator: ", ") + ")"
        }
    }

    /// The keys or integers of a list, which are bound as one array. Nil if the column has another
    /// type.
    private func integers(
        _ operands: [Operand], _ column: PathColumn
    ) throws(QueryRefusal) -> ContiguousArray<Int64>? {
        if column.kind == .boolean, dialect.hasBooleans { return nil }
        var result: ContiguousArray<Int64> = []
        for operand in operands where !operand.isNull {
            if column.isEntity {
                result.append(entityNumber(operand))
                continue
            }
            if let destination = column.destination {
                // An object in another table never matches.
                if let key = try key(operand, destination: destination) { result.append(key) }
                continue
            }
            guard column.kind.isInteger, case .integer(let integer) = operand else { return nil }
            result.append(integer)
        }
        return column.destination != nil || column.kind.isInteger ? result : nil
    }

    /// Translates the elements of a collection.
    ///
    /// - Parameter dropsMissing: whether missing values and NaN are omitted. In SQL, `5 IN (1,
    ///   NULL)` is unknown instead of false.
    private func elements(
        _ side: Side, against other: Side, dropsMissing: Bool
    ) throws(QueryRefusal) -> [Fragment] {
        var result: [Fragment] = []
        switch side {
        case .constant(.collection(let collection)):
            for element in collection.elements {
                let operand = Operand(element)
                if dropsMissing, operand.isNull || operand.isNaN { continue }
                try checkLike(other, .constant(operand))
                result.append(try text(.constant(operand), against: other))
            }
        case .list(let expressions):
            for expression in expressions {
                let element = try self.side(expression, isRequired: false)
                if dropsMissing, case .constant(let operand) = element,
                    operand.isNull || operand.isNaN
                {
                    continue
                }
                try checkLike(other, element)
                result.append(try text(element, against: other))
            }
        default: throw refuse("Unsupported predicate: a collection is needed")
        }
        return result
    }
}

extension ValueKind {
    var isInteger: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .boolean: true
        default: false
        }
    }
}

// MARK: Texts

extension PredicateTranslator {
    /// Translates CONTAINS, which searches for a substring or for an element of a list.
    private func contains(
        _ left: Side, _ right: Side, _ comparison: Comparison
    ) throws(QueryRefusal) -> Fragment {
        switch left {
        case .list, .constant(.collection): try isIn(right, left, comparison)
        default: try search(left, right, comparison, .contains)
        }
    }

    private func search(
        _ left: Side, _ right: Side, _ comparison: Comparison, _ kind: TextTest.Kind
    ) throws(QueryRefusal) -> Fragment {
        try checkTexts(left, right)
        let text = try text(left, against: right)
        let pattern = try self.text(right, against: left)
        var constant: String?
        if case .constant(.string(let text)) = right { constant = text }
        let test = TextTest(kind: kind, options: comparison.options, constant: constant)
        guard let condition = dialect.test(test, text, pattern) else {
            throw beyondSQL("Unsupported test of a text: \(kind)")
        }
        return " " + condition
    }

    private func match(
        _ left: Side, _ right: Side, _ comparison: Comparison
    ) throws(QueryRefusal) -> Fragment {
        if case .constant(.string(let pattern)) = right {
            do {
                _ = try RegularExpressionPattern(pattern, comparison.options)
            } catch {
                throw refuse("\(error)")
            }
        }
        return try search(left, right, comparison, .matches)
    }
}
