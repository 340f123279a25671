/// Generates random programs. Each step fits the objects that exist at that point of the program.
struct ProgramGenerator {
    /// The number of attempts that share a model. Creating a model takes longer than creating a
    /// program.
    static let attemptsOfModel = 50
    private static let stepsRange = 8...34
    private static let objectsMax = 9

    private var dice: Dice
    private var run: ReferenceRun
    private var next = 1
    private let hasUndo: Bool

    static func schema(of attempt: Int, seed: UInt64) -> ProgramSchema {
        var dice = Dice(seed: seed, attempt / attemptsOfModel, salt: 0x5C4E)
        return ProgramSchema(&dice)
    }

    static func program(_ attempt: Int, seed: UInt64) -> RandomProgram {
        let schema = schema(of: attempt, seed: seed)
        var generator = ProgramGenerator(attempt, seed, schema)
        return generator.program(schema)
    }

    private init(_ attempt: Int, _ seed: UInt64, _ schema: ProgramSchema) {
        dice = Dice(seed: seed, attempt, salt: 0x9806)
        hasUndo = dice.chance(50)
        run = ReferenceRun(schema, hasUndo: hasUndo)
    }

    private mutating func program(_ schema: ProgramSchema) -> RandomProgram {
        var steps: [ProgramStep] = []
        let count = dice.number(Self.stepsRange)
        var tries = 0
        while steps.count < count, tries < 4 * count {
            tries += 1
            guard let step = step(), run.perform(step) != nil else { continue }
            steps.append(step)
        }
        return RandomProgram(
            schema: schema, hasUndo: hasUndo, holdsObjects: dice.chance(50),
            watched: dice.chance(35) ? watched(schema) : nil, steps: steps)
    }

    private enum Sort: CaseIterable {
        case insert, set, lead, add, remove, replace, move, delete, undo, redo, save, rollback
        case reset, refresh, refreshAll, forget, obtainIDs, fetch, look, readInNewContext, openChild
        case closeChild, batchUpdate, batchDelete, batchInsert, reopen

        var weight: Int {
            switch self {
            case .insert, .lead, .save: 12
            case .set, .add, .fetch: 10
            case .delete: 6
            case .undo: 5
            case .replace, .remove, .move, .look, .redo: 4
            case .refresh, .readInNewContext, .openChild: 3
            case .reopen, .rollback, .batchUpdate, .batchDelete, .refreshAll, .forget: 2
            case .reset, .obtainIDs, .closeChild, .batchInsert: 1
            }
        }

        static let weighted = allCases.map { ($0, $0.weight) }
    }

    private mutating func step() -> ProgramStep? {
        let graph = run.graph
        let sort = graph.nodes.count < 2 ? .insert : dice.pick(weighted: Sort.weighted)
        switch sort {
        case .insert: return insert(graph)
        case .set: return set(graph)
        case .lead, .add, .remove, .replace: return link(sort, graph)
        case .move: return move(graph)
        case .delete: return dice.pick(graph.numbers).map { .delete($0) }
        case .undo: return .undo
        case .redo: return .redo
        case .save: return .save
        case .rollback: return .rollback
        case .reset: return .reset
        case .refresh:
            let merging = dice.chance(50)
            return dice.pick(graph.numbers).map { .refresh($0, merging: merging) }
        case .refreshAll: return .refreshAll
        case .forget: return .forget
        case .obtainIDs: return .obtainIDs
        case .fetch: return .fetch(query(graph))
        case .look: return .look
        case .readInNewContext: return .readInNewContext
        case .openChild: return .openChild
        case .closeChild: return .closeChild
        case .batchUpdate, .batchDelete, .batchInsert: return batch(sort, graph)
        case .reopen: return .reopen
        }
    }

    // MARK: Changes

    private mutating func kind() -> ProgramKind {
        dice.pick(weighted: [(.author, 4), (.book, 5), (.novel, 2), (.tag, 4), (.profile, 2)])
    }

    private mutating func insert(_ graph: ProgramGraph) -> ProgramStep? {
        guard graph.nodes.count < Self.objectsMax else { return nil }
        let kind = kind()
        var values: [ProgramAttribute: ProgramValue] = [:]
        for attribute in kind.attributes {
            let chance = graph.schema.requires(attribute) ? 85 : 35
            if dice.chance(chance) { values[attribute] = ProgramValue(attribute.form, &dice) }
        }
        defer { next += 1 }
        return .insert(kind, next, values)
    }

    private mutating func set(_ graph: ProgramGraph) -> ProgramStep? {
        guard let number = dice.pick(graph.numbers),
            let attribute = dice.pick(graph.nodes[number]?.kind.attributes ?? [])
        else { return nil }
        return .set(number, attribute, value(attribute))
    }

    private mutating func value(_ attribute: ProgramAttribute) -> ProgramValue? {
        dice.chance(15) ? nil : ProgramValue(attribute.form, &dice)
    }

    private mutating func link(_ sort: Sort, _ graph: ProgramGraph) -> ProgramStep? {
        guard let number = dice.pick(graph.numbers), let node = graph.nodes[number] else {
            return nil
        }
        let links = node.kind.links.filter { $0.isToMany == (sort != .lead) }
        guard let link = dice.pick(links) else { return nil }
        let ends = graph.ends(number, link)
        let others = graph.numbers.filter { graph.allows(number, link, $0) }
        switch sort {
        case .lead:
            return .lead(number, link, dice.chance(15) ? nil : dice.pick(others))
        case .add:
            let isPlaced = graph.schema.ordered.contains(link) && dice.chance(40)
            let index = isPlaced ? dice.below(ends.count + 1) : nil
            return dice.pick(others).map { .add(number, link, $0, at: index) }
        case .remove: return dice.pick(ends).map { .remove(number, link, $0) }
        case .replace:
            var list = others.filter { _ in dice.chance(50) }
            if graph.schema.ordered.contains(link), list.count > 1, dice.chance(60) {
                list.append(list.removeFirst())
            }
            return .replace(number, link, list)
        default: return nil
        }
    }

    private mutating func move(_ graph: ProgramGraph) -> ProgramStep? {
        let lists = graph.numbers.flatMap { number in
            (graph.nodes[number]?.kind.links ?? []).filter { link in
                graph.schema.ordered.contains(link) && graph.ends(number, link).count > 1
            }.map { (number, $0) }
        }
        guard let (number, link) = dice.pick(lists) else { return nil }
        let count = graph.ends(number, link).count
        return .move(number, link, dice.below(count), to: dice.below(count))
    }

    private mutating func batch(_ sort: Sort, _ graph: ProgramGraph) -> ProgramStep? {
        let kind = kind()
        switch sort {
        case .batchUpdate:
            guard let attribute = dice.pick(kind.attributes) else { return nil }
            return .batchUpdate(kind, attribute, value(attribute), condition(kind, graph, depth: 0))
        case .batchDelete: return .batchDelete(kind, condition(kind, graph, depth: 0))
        default:
            guard let attribute = kind.attributes.first else { return nil }
            var rows: [Int: ProgramValue] = [:]
            for _ in 0..<dice.number(1...2) {
                rows[next] = ProgramValue(attribute.form, &dice)
                next += 1
            }
            return .batchInsert(kind, rows)
        }
    }

    // MARK: Fetches

    private mutating func query(_ graph: ProgramGraph) -> ProgramQuery {
        let kind = kind()
        var query = ProgramQuery(kind: kind)
        query.condition = dice.chance(25) ? .everything : condition(kind, graph, depth: 2)
        query.excludesSubentities = dice.chance(15)
        let values = kind.attributes.filter { ![.bytes, .uuid, .place].contains($0.form) }
        if dice.chance(60) {
            query.sort = dice.pick(values)
            query.isDescending = dice.chance(50)
        }
        if dice.chance(30) {
            query.limit = dice.number(0...3)
            query.offset = dice.number(0...2)
        }
        switch dice.below(10) {
        case 0: query.form = .ids
        case 1: query.form = .count
        case 2: query.form = .values(values.filter { _ in dice.chance(50) })
        case 3 where kind != .profile && kind != .tag:
            let isAuthor = kind == .author
            query = ProgramQuery(kind: kind, condition: query.condition)
            query.form = .totals(
                by: isAuthor ? .name : dice.pick([.title, .flag, .year]) ?? .year,
                of: isAuthor ? .score : dice.pick([.year, .price]) ?? .year)
        default: query.manner = dice.pick(ProgramQuery.Manner.allCases) ?? .plain
        }
        return query
    }

    /// The query of a results controller. Its list must depend only on attributes of the listed
    /// objects.
    private mutating func watched(_ schema: ProgramSchema) -> ProgramQuery {
        let kind = kind()
        var query = ProgramQuery(kind: kind)
        query.sort = dice.pick(kind.attributes.filter { [.text, .whole, .real].contains($0.form) })
        query.isDescending = dice.chance(50)
        guard dice.chance(50), let attribute = dice.pick(kind.attributes) else { return query }
        let relation = relation(attribute)
        query.condition = .compare(
            nil, attribute, relation == .unequal ? .equal : relation,
            ProgramValue(attribute.form, &dice))
        return query
    }

    private mutating func condition(
        _ kind: ProgramKind, _ graph: ProgramGraph, depth: Int
    ) -> ProgramCondition {
        if depth > 0, dice.chance(35) {
            let first = condition(kind, graph, depth: depth - 1)
            switch dice.below(3) {
            case 0: return .not(first)
            case 1: return .both(first, condition(kind, graph, depth: depth - 1))
            default: return .either(first, condition(kind, graph, depth: depth - 1))
            }
        }
        switch dice.below(8) {
        case 0, 1, 2: return comparison(kind, graph)
        case 3: return search(kind)
        case 4:
            let numbers = graph.numbers.filter { number in
                graph.nodes[number].map { kind.found.contains($0.kind) } ?? false
            }
            return .isOneOf(numbers.filter { _ in dice.chance(50) })
        default: return linked(kind, graph)
        }
    }

    private mutating func relation(_ attribute: ProgramAttribute) -> ProgramCondition.Comparison {
        let isOrdered = ![.bytes, .uuid, .place, .flag].contains(attribute.form)
        return isOrdered
            ? dice.pick(ProgramCondition.Comparison.allCases) ?? .equal
            : dice.chance(70) ? .equal : .unequal
    }

    private mutating func comparison(_ kind: ProgramKind, _ graph: ProgramGraph) -> ProgramCondition
    {
        let ones = kind.links.filter { !$0.isToMany }
        let link = dice.chance(25) ? dice.pick(ones) : nil
        let owner = link?.destination ?? kind
        guard let attribute = dice.pick(owner.attributes) else { return .everything }
        if link == nil, dice.chance(15) {
            let values = (0..<dice.number(0...3)).map { _ in ProgramValue(attribute.form, &dice) }
            return .among(attribute, values)
        }
        let known = graph.nodes.values.filter { $0.kind == owner }.compactMap {
            $0.values[attribute]
        }
        let isKnown = dice.chance(60)
        let value = isKnown ? dice.pick(known.sorted { $0.text < $1.text }) : value(attribute)
        guard let value else {
            return .compare(link, attribute, dice.chance(60) ? .equal : .unequal, nil)
        }
        return .compare(link, attribute, relation(attribute), value)
    }

    private mutating func search(_ kind: ProgramKind) -> ProgramCondition {
        let texts = kind.attributes.filter { $0.form == .text }
        guard let attribute = dice.pick(texts) else { return .everything }
        let search = dice.pick(ProgramCondition.Search.allCases) ?? .contains
        let options = dice.pick(["", "", "[c]", "[d]", "[cd]"]) ?? ""
        guard case .text(let text) = ProgramValue(.text, &dice) else { return .everything }
        return .search(attribute, search, options, text)
    }

    private mutating func linked(_ kind: ProgramKind, _ graph: ProgramGraph) -> ProgramCondition {
        guard let link = dice.pick(kind.links) else { return .everything }
        let ends = graph.numbers.filter { number in
            graph.nodes[number].map { link.destination.found.contains($0.kind) } ?? false
        }
        guard link.isToMany else {
            return .leads(link, dice.chance(25) ? nil : dice.pick(ends))
        }
        guard let attribute = dice.pick(link.destination.attributes) else { return .everything }
        let value = ProgramValue(attribute.form, &dice)
        let count = dice.number(0...2)
        switch dice.below(5) {
        case 0, 1:
            let quantity = dice.pick(ProgramCondition.Quantity.allCases) ?? .any
            return .members(quantity, link, attribute, relation(attribute), value)
        case 2: return dice.pick(ends).map { .hasMember(link, $0) } ?? .everything
        case 3: return .count(link, relation(.year), count)
        default:
            return .counted(link, attribute, relation(attribute), value, relation(.year), count)
        }
    }
}
