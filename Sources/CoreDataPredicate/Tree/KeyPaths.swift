// Lists which key paths a predicate reads. Prefetching, validation against an entity and
// footprints of fetches ask it.

extension NSPredicate {
    /// Every key path that is read from the evaluated object, once each, in order of appearance.
    ///
    /// Paths of a subquery's variable are listed behind the path of its collection.
    package var keyPaths: [[String]] {
        var collector = KeyPathCollector()
        collector.visit(self)
        return collector.paths
    }
}

extension NSExpression {
    /// Every key path that is read from the evaluated object, once each, in order of appearance.
    package var keyPaths: [[String]] {
        var collector = KeyPathCollector()
        collector.visit(self)
        return collector.paths
    }
}

/// Walks a tree and gathers paths.
private struct KeyPathCollector {
    var paths: [[String]] = []
    private var seen: Set<[String]> = []
    /// What the variables of the surrounding subqueries run over, as paths.
    private var iterators: [String: [String]] = [:]

    mutating func visit(_ predicate: NSPredicate) {
        switch predicate.node {
        case .constant, .block: break
        case .compound(_, let parts): for part in parts { visit(part) }
        case .comparison(let comparison):
            visit(comparison.left)
            visit(comparison.right)
        }
    }

    mutating func visit(_ expression: NSExpression) {
        if let path = path(of: expression) {
            if !path.isEmpty, seen.insert(path).inserted { paths.append(path) }
            return
        }
        for child in expression.node.children { visit(child) }
        switch expression.node {
        case .subquery(let collection, let variable, let predicate):
            let outer = iterators[variable]
            iterators[variable] = path(of: collection)
            visit(predicate)
            iterators[variable] = outer
        case .conditional(let predicate, _, _): visit(predicate)
        default: break
        }
    }

    private func path(of expression: NSExpression) -> [String]? {
        switch expression.node {
        case .evaluatedObject: []
        case .keyPath(let keys): keys
        case .variable(let name): iterators[name]
        case .path(let base, let keys): path(of: base).map { $0 + keys }
        default: nil
        }
    }
}
