extension NSPredicate {
    /// Every key path that is read from the evaluated object, once each, in order of appearance.
    ///
    /// Paths of a subquery's variable follow the path of its collection.
    package var keyPaths: [[String]] {
        var collector = KeyPathCollector()
        collector.todo.append(.predicate(self))
        return collector.run()
    }
}

extension NSExpression {
    /// Every key path that is read from the evaluated object, once each, in order of appearance.
    package var keyPaths: [[String]] {
        var collector = KeyPathCollector()
        collector.todo.append(.expression(self))
        return collector.run()
    }
}

private struct KeyPathCollector {
    enum Task {
        case predicate(NSPredicate)
        case expression(NSExpression)
        /// Sets or removes the path over which a variable iterates, for the tasks that follow.
        case iterate(String, over: [String]?)
        /// Enters a subquery: its variable iterates over the path of its collection.
        case enter(String, NSExpression, NSPredicate)
    }

    /// The remaining tasks, the next one last.
    var todo: [Task] = []
    private var paths: [[String]] = []
    private var seen: Set<[String]> = []
    /// The paths over which the variables of the enclosing subqueries iterate.
    private var iterators: [String: [String]] = [:]

    mutating func run() -> [[String]] {
        while let task = todo.popLast() {
            switch task {
            case .predicate(let predicate): visit(predicate)
            case .expression(let expression): visit(expression)
            case .iterate(let variable, let path): iterators[variable] = path
            case .enter(let variable, let collection, let predicate):
                todo.append(.iterate(variable, over: iterators[variable]))
                todo.append(.predicate(predicate))
                iterators[variable] = path(of: collection)
            }
        }
        return paths
    }

    private mutating func visit(_ predicate: NSPredicate) {
        switch predicate.node {
        case .constant, .block: break
        case .compound(_, let parts): for part in parts.reversed() { todo.append(.predicate(part)) }
        case .comparison(let comparison):
            todo.append(.expression(comparison.right))
            todo.append(.expression(comparison.left))
        }
    }

    private mutating func visit(_ expression: NSExpression) {
        if let path = path(of: expression) {
            if !path.isEmpty, seen.insert(path).inserted { paths.append(path) }
            return
        }
        switch expression.node {
        case .subquery(let collection, let variable, let predicate):
            todo.append(.enter(variable, collection, predicate))
        case .conditional(let predicate, _, _): todo.append(.predicate(predicate))
        default: break
        }
        for child in expression.node.children.reversed() { todo.append(.expression(child)) }
    }

    private func path(of expression: NSExpression) -> [String]? {
        var tail: [[String]] = []
        var start = expression
        while case .path(let base, let keys) = start.node {
            tail.append(keys)
            start = base
        }
        let head: [String]? =
            switch start.node {
            case .evaluatedObject: []
            case .keyPath(let keys): keys
            case .variable(let name): iterators[name]
            default: nil
            }
        return head.map { $0 + tail.reversed().joined() }
    }
}
