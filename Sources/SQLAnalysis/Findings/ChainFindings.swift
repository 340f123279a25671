import LabResults

/// Creates findings from chains: reads that one fetch caused, such as a fault for each fetched
/// object.
struct ChainFindings {
    let catalog: ShapeCatalog
    let names: EntityNames

    /// One finding for each kind of chain, and one for each fetch that should prefetch.
    func all(_ groups: ChainGroups) -> [SQLFinding] {
        let all = groups.all
        return all.map(finding) + prefetches(all.filter { !$0.chain.wasRead })
    }

    // MARK: One by one

    private func finding(_ group: ChainGroups.Group) -> SQLFinding {
        let chain = group.chain
        let (advice, code) = advice(chain)
        let after =
            chain.origin.map { ", after the fetch of \(name(of: $0)) in line \($0.line)" } ?? ""
        let places = group.places > 1 ? ", at \(group.places) such positions" : ""
        let isUseful = chain.path?.isEmpty == false && !chain.wasRead
        return SQLFinding(
            kind: .nPlusOne, title: "\(what(chain)), one statement each\(after)\(places)",
            statements: chain.count, nanoseconds: chain.nanoseconds, lines: chain.lines.lines,
            origin: chain.origin.map(origin), advice: advice, code: code,
            keyPaths: isUseful ? chain.path.map { [$0.joined(separator: ".")] } ?? [] : [],
            statement: chain.shape.map { catalog[$0].text })
    }

    private func what(_ chain: Chain) -> String {
        switch chain.kind {
        case .toMany(let entity, let relationship):
            "\(chain.count) faults of the relationship \(entity).\(relationship)"
        case .object(let entity): "\(chain.count) faults of \(names.shown(table: entity))"
        case .own(let entity):
            "\(chain.count) faults of fetched \(names.shown(table: entity)) objects"
        case .fetch(let shape):
            "\(chain.count) \(catalog[shape].isCount ? "counts" : "fetches") of "
                + names.shown(table: catalog[shape].table)
        }
    }

    private func advice(_ chain: Chain) -> (String, String?) {
        let place =
            chain.origin.map { "the fetch in line \($0.line)" }
            ?? "the fetch of these objects, which the log does not show"
        if case .fetch(let shape) = chain.kind {
            let (advice, code) = adviceForLoop(shape)
            guard chain.origin == nil, chain.hasUnknown else { return (advice, code) }
            return (
                advice + " Log at level 2 to see whether the values differ: keep the result if "
                    + "they are equal.", code
            )
        }
        if chain.wasRead { return (adviceForReread(chain, place), nil) }
        if case .own = chain.kind {
            return (
                "Let \(place) read the values, too (leave includesPropertyValues on), or set a"
                    + " batch size, so that one statement reads the values of a whole page.",
                "request.fetchBatchSize = \(Self.batchSize)"
            )
        }
        if let path = chain.path, !path.isEmpty {
            let text = path.joined(separator: ".")
            return ("Prefetch \"\(text)\" with \(place).", prefetchCode([text]))
        }
        if case .toMany(_, let relationship) = chain.kind {
            return (
                "Prefetch the key path that ends in \"\(relationship)\" with the fetch of these "
                    + "objects; the log does not show it.", nil
            )
        }
        let way = "Prefetch the relationship that leads to these objects with \(place)"
        return (way + (names.knowsModel ? "." : "; pass --model or --store to see its name."), nil)
    }

    /// The advice for objects whose values were already in memory when they were read again.
    private func adviceForReread(_ chain: Chain, _ place: String) -> String {
        let path = (chain.path ?? []).joined(separator: ".")
        if !path.isEmpty {
            return "The log shows that \"\(path)\" was prefetched with \(place). The objects that"
                + " were read again are other objects, or they were released or refreshed before"
                + " their use. Keep fetched objects while the code uses them."
        }
        return "The log shows that \(place) read the values of these objects. Objects that are read"
            + " again were refreshed, or released before they were used: keep the fetched objects."
            + " For other objects of the same entity, prefetch the relationship that leads to them"
            + (names.knowsModel ? "." : "; pass --model or --store to see its name.")
    }

    private func adviceForLoop(_ shape: Int) -> (String, String?) {
        let shape = catalog[shape]
        let column = shape.conditions.first { !$0.isInner }?.column.name ?? ""
        let entity = names.shown(table: shape.table)
        let way = names.relationship(table: shape.table, column: column)
        let name =
            way?.name ?? names.attribute(table: shape.table, column: column) ?? column
        if shape.isCount { return (adviceForCounts(name), nil) }
        guard shape.isByValue || shape.isOfList else {
            return (
                "Fetch \(entity) once for the whole loop, sorted, before the loop begins, and find"
                    + " the objects in memory.", nil
            )
        }
        if column == "Z_PK" {
            return (
                "Fetch \(entity) once for all objects, before the loop.",
                "request.predicate = NSPredicate(format: \"SELF IN %@\", objects)"
            )
        }
        if let way {
            let back = way.inverse.map { " or prefetch \"\($0)\" with the fetch before" } ?? ""
            return (
                "Fetch \(entity) once for all objects of the loop\(back).",
                "request.predicate = NSPredicate(format: \"\(way.name) IN %@\", objects)"
            )
        }
        return (
            "Fetch \(entity) once for all values, with IN, before the loop.",
            "request.predicate = NSPredicate(format: \"\(name) IN %@\", values)"
        )
    }

    private func adviceForCounts(_ name: String) -> String {
        "Count for all objects of the loop in one fetch: a dictionary result with count: as an"
            + " NSExpressionDescription, grouped by \(name.isEmpty ? "the value" : name) with"
            + " propertiesToGroupBy; or keep the number in a derived attribute."
    }

    // MARK: Prefetching

    /// The suggested batch size. Larger batches would save few further statements.
    static let batchSize = 100

    private func prefetches(_ groups: [ChainGroups.Group]) -> [SQLFinding] {
        var byOrigin: [Int: [ChainGroups.Group]] = [:]
        for group in groups {
            guard let shape = group.chain.origin?.shape, let path = group.chain.path,
                !path.isEmpty
            else { continue }
            byOrigin[shape, default: []].append(group)
        }
        return byOrigin.sorted { $0.key < $1.key }.compactMap { prefetch($1) }
    }

    private func prefetch(_ groups: [ChainGroups.Group]) -> SQLFinding? {
        guard let origin = groups.first?.chain.origin else { return nil }
        let paths = Set(groups.compactMap(\.chain.path))
        let longest = paths.filter { path in
            !paths.contains { $0.count > path.count && $0.starts(with: path) }
        }.map { $0.joined(separator: ".") }.sorted()
        let statements = groups.reduce(0) { $0 + $1.chain.count }
        let guess =
            names.knowsModel || groups.allSatisfy { Self.isCertain($0.chain) }
            ? "" : " The names are guessed from the log; pass --model or --store to read them."
        // Each execution of the fetch would also execute its prefetches.
        let needed = paths.count * (groups.map(\.places).max() ?? 1)
        return SQLFinding(
            kind: .missingPrefetch,
            title: "The fetch of \(name(of: origin)) in line \(origin.line) prefetches none of the "
                + "objects that are read next",
            statements: statements,
            nanoseconds: groups.reduce(0) { $0 &+ $1.chain.nanoseconds },
            lines: [origin.line], origin: self.origin(origin),
            advice: "Set the key paths: \(statements) statements become "
                + "\(needed == 1 ? "one" : "\(needed)"), and one more for each join table "
                + "between them." + guess,
            code: prefetchCode(longest), keyPaths: longest,
            statement: origin.shape.map { catalog[$0].text })
    }

    /// Whether the log contains the name of the to-many relationship.
    private static func isCertain(_ chain: Chain) -> Bool {
        if case .toMany = chain.kind { return chain.path?.count == 1 }
        return false
    }

    private func prefetchCode(_ paths: [String]) -> String {
        let list = paths.map { "\"\($0)\"" }.joined(separator: ", ")
        return "request.relationshipKeyPathsForPrefetching = [\(list)]"
    }

    /// The entity's name, by all names that were known at the end of the log.
    private func name(of access: Access) -> String {
        access.isNamed || access.object != nil ? access.entity : names.shown(table: access.table)
    }

    private func origin(_ access: Access) -> SQLFinding.Origin {
        SQLFinding.Origin(
            line: access.line, entity: name(of: access), rows: access.rows,
            text: access.shape.map { catalog[$0].text } ?? "")
    }
}
