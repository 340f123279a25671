import CoreDataModel

/// One FROM clause under construction: a table with an alias and its joins.
///
/// The statement has a scope, and each sub-select has its own. If two conditions use the path
/// `author.name`, they share one join.
final class QueryScope {
    package let alias: String
    package let entity: EntityLayout
    /// The SUBQUERY variable of this scope.
    package let variable: String?
    private var joins: [Join] = []

    private struct Join {
        let path: String
        let alias: String
        var isInner: Bool
        let text: String
    }

    package init(alias: String, entity: EntityLayout, variable: String? = nil) {
        self.alias = alias
        self.entity = entity
        self.variable = variable
    }

    /// Joins the destination of a to-one step, or finds the existing join.
    ///
    /// - Parameters:
    ///   - path: the keys from this scope's table to the destination.
    ///   - isRequired: whether rows without a destination cannot match. If so, the join is an inner
    /// join, which the database may reorder.
    package func join(
        path: String, isRequired: Bool, table: String, key: String, on column: String,
        alias: () -> String
    ) -> String {
        if let known = joins.firstIndex(where: { $0.path == path }) {
            joins[known].isInner = joins[known].isInner || isRequired
            return joins[known].alias
        }
        let alias = alias()
        joins.append(
            Join(
                path: path, alias: alias, isInner: isRequired,
                text: "JOIN \(table) \(alias) ON \(column) = \(alias).\(key)"))
        return alias
    }

    /// Adds a join that no other path uses.
    func addJoin(alias: String, text: String) {
        joins.append(Join(path: "", alias: alias, isInner: true, text: text))
    }

    var joinText: String {
        joins.map { $0.isInner ? " \($0.text)" : " LEFT OUTER \($0.text)" }.joined()
    }
}
