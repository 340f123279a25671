import CoreDataModel
import CoreDataPredicate

/// Translates comparisons with the members of a to-many relationship: ANY, ALL and membership.
extension PredicateTranslator {
    package func members(
        _ step: ToManyStep, _ rest: ArraySlice<String>, _ comparison: Comparison, isRequired: Bool
    ) throws(QueryRefusal) -> Fragment {
        switch (comparison.modifier, comparison.operator) {
        case (.any, _):
            return try anyMember(step, rest, comparison, isRequired: isRequired)
        case (.all, _): return try allMembers(step, rest, comparison)
        // `tags CONTAINS %@` is true if a member equals the constant.
        case (.direct, .contains):
            return try anyMember(step, rest, comparison.with(.equalTo), isRequired: isRequired)
        case (.direct, _): throw refuse("to-many key not allowed here")
        }
    }

    /// `%@ IN tags` is true if a member equals the constant.
    func membersOnTheRight(
        _ step: ToManyStep, _ rest: ArraySlice<String>, _ comparison: Comparison, isRequired: Bool
    ) throws(QueryRefusal) -> Fragment {
        guard comparison.operator == .in, comparison.modifier == .direct else {
            throw refuse("to-many key not allowed here")
        }
        let turned = Comparison(
            left: comparison.right, right: comparison.left, operator: .equalTo, modifier: .any,
            options: comparison.options)
        return try anyMember(step, rest, turned, isRequired: isRequired)
    }

    /// Translates ANY. If every matching row needs a matching member, the members are joined, as in
    /// Core Data. Below OR and NOT, a nested SELECT is used.
    private func anyMember(
        _ step: ToManyStep, _ rest: ArraySlice<String>, _ comparison: Comparison, isRequired: Bool
    ) throws(QueryRefusal) -> Fragment {
        let source = try source(step, needsMembers: !rest.isEmpty)
        let joins = dialect.joinsMembers && isRequired && step.scope === root
        let condition = try inside(source.scope) { () throws(QueryRefusal) in
            try compareMember(source, rest, comparison)
        }
        guard joins else {
            return " EXISTS (SELECT 1 FROM \(source.from)\(source.scope.joinText) "
                + "WHERE (\(source.link) AND " + condition + "))"
        }
        repeatsRows = true
        root.addJoin(alias: source.scope.alias, text: source.joinText)
        return condition
    }

    private func allMembers(
        _ step: ToManyStep, _ rest: ArraySlice<String>, _ comparison: Comparison
    ) throws(QueryRefusal) -> Fragment {
        let source = try source(step, needsMembers: !rest.isEmpty)
        let condition = try inside(source.scope) { () throws(QueryRefusal) in
            try compareMember(source, rest, comparison)
        }
        // ALL is false if the comparison with a member is unknown (NULL).
        return " NOT EXISTS (SELECT 1 FROM \(source.from)\(source.scope.joinText) "
            + "WHERE (\(source.link) AND (" + condition + ") \(dialect.isNotTrue)))"
    }

    private func compareMember(
        _ source: MemberSource, _ rest: ArraySlice<String>, _ comparison: Comparison
    ) throws(QueryRefusal) -> Fragment {
        let left: Side
        if rest.isEmpty {
            left = .column(
                PathColumn(text: source.key, kind: .toOne, destination: source.scope.entity))
        } else if rest.contains(where: { $0.hasPrefix("@") }) {
            throw beyondSQL("Unsupported collection operator after ANY or ALL")
        } else {
            switch try resolve(rest, in: source.scope, isRequired: false) {
            case .column(let column): left = .column(column)
            case .toMany: throw beyondSQL("multiple to-many keys not allowed here")
            }
        }
        let right = try side(comparison.right, isRequired: false)
        if case .toMany = right { throw beyondSQL("to-many key not allowed here") }
        return try compare(left, right, comparison)
    }
}

extension PredicateTranslator.MemberSource {
    /// The tables of the members as JOIN clauses of the enclosing statement.
    fileprivate var joinText: String {
        // A join table comes with its own JOIN for the members. The link to the owner is then the
        // condition of the first join.
        guard let second = from.range(of: " JOIN ") else {
            return "JOIN \(from) ON \(link)\(scope.joinText)"
        }
        return "JOIN \(from[..<second.lowerBound]) ON \(link)\(from[second.lowerBound...])"
            + scope.joinText
    }
}

extension Comparison {
    fileprivate func with(_ operator: NSComparisonPredicate.Operator) -> Comparison {
        Comparison(
            left: left, right: right, operator: `operator`, modifier: modifier, options: options,
            selector: selector)
    }
}
