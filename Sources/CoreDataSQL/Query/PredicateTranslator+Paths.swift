import CoreDataModel
import CoreDataPredicate

/// The target of a key path.
enum ResolvedPath {
    case column(PathColumn)
    /// A to-many relationship, and the keys after it.
    case toMany(ToManyStep, rest: ArraySlice<String>)
}

/// A column, qualified by the alias of its table.
struct PathColumn {
    /// The SQL text, such as `t0.ZTITLE`.
    package let text: String
    package let kind: ValueKind
    /// The entity of the object whose key the column contains. This is the destination of a to-one
    /// relationship, or the entity of the object itself.
    package let destination: EntityLayout?
    /// The expression for the destination's entity number, if the number can differ between rows.
    var entityText: String?
    /// Whether the column contains entity numbers. Such a column is compared with entity
    /// descriptions.
    var isEntity = false
    /// The expression for the beginning of the values; see ``Dialect/beginning(of:in:)``.
    var beginning: (before: String, after: String)?
}

/// A to-many relationship of a table in the statement.
struct ToManyStep {
    package let name: String
    /// The alias of the owner's table.
    package let owner: String
    package let slot: ToManySlot
    package let scope: QueryScope
}

extension PredicateTranslator {
    package func resolve(
        _ keys: ArraySlice<String>, in scope: QueryScope, isRequired: Bool
    ) throws(QueryRefusal) -> ResolvedPath {
        var entity = scope.entity
        var alias = scope.alias
        var path = ""
        var rest = keys
        while var key = rest.first {
            rest = rest.dropFirst()
            while entity.elementSlots(ofComposite: key) != nil, let element = rest.first {
                // An element of a composite attribute is named by its path.
                key += "." + element
                rest = rest.dropFirst()
            }
            if let slot = entity.toManySlot(named: key) {
                let step = ToManyStep(
                    name: key, owner: alias, slot: entity.toMany[slot], scope: scope)
                return .toMany(step, rest: rest)
            }
            if key == "entity", entity.valueSlot(named: key) == nil {
                return .column(try entityColumn(alias, entity, rest, path: keys))
            }
            if rest.isEmpty {
                return .column(try column(key, alias, entity, path: keys))
            }
            let toOne = try toOneStep(key, rest, entity, path: keys)
            // The column of the relationship already contains the destination's key.
            if rest.count == 1, let last = rest.first, isIdentity(last, toOne.destination) {
                return .column(
                    PathColumn(
                        text: "\(alias).\(toOne.column)", kind: .toOne,
                        destination: toOne.destination,
                        entityText: toOne.entityColumn.map { "\(alias).\($0)" }))
            }
            path += "." + key
            alias = scope.join(
                path: path, isRequired: isRequired, table: toOne.destination.tableName,
                key: names.key, on: "\(alias).\(toOne.column)", alias: nextAlias)
            entity = toOne.destination
        }
        return .column(identity(alias, entity))
    }

    private func identity(_ alias: String, _ entity: EntityLayout) -> PathColumn {
        PathColumn(
            text: "\(alias).\(names.key)", kind: .toOne, destination: entity,
            entityText: entity.hasSubentities ? "\(alias).\(names.entity)" : nil)
    }

    /// Resolves a path to an object's entity or to the name of the entity.
    private func entityColumn(
        _ alias: String, _ entity: EntityLayout, _ rest: ArraySlice<String>,
        path: ArraySlice<String>
    ) throws(QueryRefusal) -> PathColumn {
        let number = "\(alias).\(names.entity)"
        if rest.isEmpty {
            return PathColumn(text: number, kind: .integer64, destination: nil, isEntity: true)
        }
        guard Array(rest) == ["name"] else { throw notFound(path, entity) }
        let family = layout[entity.rootIndex].familyRange.map { layout[$0] }
        let names = family.map {
            "WHEN \(schema.numbers.number(of: $0.index)) THEN \($0.name.sqlLiteral)"
        }
        return PathColumn(
            text: "(CASE \(number) \(names.joined(separator: " ")) END)", kind: .string,
            destination: nil)
    }

    private func column(
        _ key: String, _ alias: String, _ entity: EntityLayout, path: ArraySlice<String>
    ) throws(QueryRefusal) -> PathColumn {
        if let slot = entity.valueSlot(named: key) {
            let value = entity.values[slot]
            guard let column = value.column else { throw notFound(path, entity) }
            return PathColumn(
                text: dialect.reading(value, "\(alias).\(column)"), kind: value.kind,
                destination: value.toOne.map { layout[$0.destinationIndex] },
                entityText: value.toOne?.entityColumn.map { "\(alias).\($0)" },
                beginning: dialect.beginning(of: value, in: entity))
        }
        guard isIdentity(key, entity) else { throw notFound(path, entity) }
        return identity(alias, entity)
    }

    private func toOneStep(
        _ key: String, _ rest: ArraySlice<String>, _ entity: EntityLayout,
        path: ArraySlice<String>
    ) throws(QueryRefusal) -> (column: String, entityColumn: String?, destination: EntityLayout) {
        guard let slot = entity.valueSlot(named: key) else { throw notFound(path, entity) }
        let value = entity.values[slot]
        guard let toOne = value.toOne, let column = value.column else {
            let error = notFound(path, entity)
            // SQL cannot express a path to a function of a value, such as the length of a string.
            let isOfValue = value.toOne == nil && value.column != nil
            if isOfValue, let next = rest.first, BuiltinKey.names.contains(next) {
                throw beyondSQL(error.message)
            }
            throw error
        }
        return (column, toOne.entityColumn, layout[toOne.destinationIndex])
    }

    /// Whether a key refers to the object itself.
    private func isIdentity(_ key: String, _ entity: EntityLayout) -> Bool {
        (key == "objectID" || key == "self" || key == "SELF")
            && entity.valueSlot(named: key) == nil
    }

    private func notFound(_ path: ArraySlice<String>, _ entity: EntityLayout) -> QueryRefusal {
        refuse("keypath \(path.joined(separator: ".")) not found in entity \(name(of: entity))")
    }

    package func scope(ofVariable variable: String) throws(QueryRefusal) -> QueryScope {
        guard let scope = scopes.first(where: { $0.variable == variable }) else {
            throw refuse(
                "Unsupported predicate: the variable $\(variable) has no value; "
                    + "give it one with withSubstitutionVariables(_:)")
        }
        return scope
    }

    /// Splits an expression that reads a path into its start and its keys.
    package func path(
        of expression: NSExpression
    ) throws(QueryRefusal) -> (scope: QueryScope, keys: ArraySlice<String>)? {
        var start = expression
        var rest: [[String]] = []
        while case .path(let base, let keys) = start.node {
            rest.append(keys)
            start = base
        }
        let behind = rest.reversed().flatMap(\.self)
        switch start.node {
        case .evaluatedObject: return (root, behind[...])
        case .keyPath(let keys): return (root, rest.isEmpty ? keys[...] : (keys + behind)[...])
        case .variable(let name):
            if computed[name] != nil { return nil }
            return (try scope(ofVariable: name), behind[...])
        default: return nil
        }
    }
}

// MARK: Sub-selects over to-many relationships

extension PredicateTranslator {
    /// The tables of a to-many relationship as a FROM clause.
    struct MemberSource {
        package let scope: QueryScope
        /// The tables: `ZITEM t1`, or the join table and the members' table.
        package let from: String
        /// The join condition, such as `t0.Z_PK = t1.ZOWNER`.
        package let link: String
        /// The column with the members' keys. A column of another table is preferred, because the
        /// members' table may then be omitted.
        package let key: String
    }

    /// - Parameter needsMembers: whether paths of the members will be resolved. If false, the join
    ///   table is enough, and the members' table is omitted.
    package func source(
        _ step: ToManyStep, needsMembers: Bool, variable: String? = nil
    ) throws(QueryRefusal) -> MemberSource {
        let destination = layout[step.slot.destinationIndex]
        let alias = nextAlias()
        switch step.slot.storage {
        case .foreignKey(let column, _, _):
            return MemberSource(
                scope: QueryScope(alias: alias, entity: destination, variable: variable),
                from: "\(destination.tableName) \(alias)",
                link: "\(step.owner).\(names.key) = \(alias).\(column)",
                key: "\(alias).\(names.key)")
        case .joinTable(let table, let owner, let member, _, _):
            let members = needsMembers ? nextAlias() : alias
            let join =
                needsMembers
                ? " JOIN \(destination.tableName) \(members) "
                    + "ON \(alias).\(member) = \(members).\(names.key)"
                : ""
            return MemberSource(
                scope: QueryScope(alias: members, entity: destination, variable: variable),
                from: "\(table) \(alias)\(join)",
                link: "\(step.owner).\(names.key) = \(alias).\(owner)",
                key: "\(alias).\(member)")
        case .none:
            throw refuse(
                "keypath \(step.name) not found in entity \(name(of: step.scope.entity))")
        }
    }
}
