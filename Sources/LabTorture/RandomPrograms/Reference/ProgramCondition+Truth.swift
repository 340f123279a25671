/// The result of a condition for one object, in a SQLite store and in memory, as Core Data's
/// documentation defines it.
///
/// Both find the same objects unless a compared value is nil. In SQL, a comparison with NULL is
/// neither true nor false. In memory, nil differs from every value.
struct ProgramTruth: Hashable, Sendable {
    /// The results in SQL and in memory. `inSQL` is nil if the condition is neither true nor false
    /// in SQL.
    private struct Verdict: Hashable {
        let inSQL: Bool?
        let inMemory: Bool

        var opposite: Verdict { Verdict(inSQL: inSQL.map { !$0 }, inMemory: !inMemory) }

        func and(_ other: Verdict) -> Verdict {
            let sides = [inSQL, other.inSQL]
            return Verdict(
                inSQL: sides.contains(false) ? false : sides.contains(nil) ? nil : true,
                inMemory: inMemory && other.inMemory)
        }
    }

    /// The possible results. There are several if the documentation does not define the result.
    private let possible: Set<Verdict>

    static let yes = ProgramTruth(true)
    static let no = ProgramTruth(false)
    static let unknown = ProgramTruth(possible: yes.possible.union(no.possible))
    static let nothing = ProgramTruth(inSQL: nil, inMemory: false)
    static let different = ProgramTruth(inSQL: nil, inMemory: true)

    private init(possible: Set<Verdict>) { self.possible = possible }

    init(_ holds: Bool) { self.init(inSQL: holds, inMemory: holds) }

    init(inSQL: Bool?, inMemory: Bool) {
        possible = [Verdict(inSQL: inSQL, inMemory: inMemory)]
    }

    /// Whether a fetch with the condition finds the object; nil if the documentation does not
    /// define this.
    var isFound: Bool? {
        let answers = Set(possible.flatMap { [$0.inSQL ?? false, $0.inMemory] })
        return answers.count == 1 ? answers.first : nil
    }

    var dependsOnNil: Bool { possible.contains { ($0.inSQL ?? false) != $0.inMemory } }

    var opposite: ProgramTruth { ProgramTruth(possible: Set(possible.map(\.opposite))) }

    /// The result of the condition in a subquery, where NULL counts as false.
    var ofMember: ProgramTruth {
        ProgramTruth(
            possible: Set(
                possible.map { Verdict(inSQL: $0.inSQL ?? false, inMemory: $0.inMemory) }))
    }

    /// The number of true conditions in SQL and in memory. There are several pairs if the
    /// documentation permits several results.
    static func counts(_ truths: [ProgramTruth]) -> [(inSQL: Int, inMemory: Int)] {
        truths.reduce([(0, 0)]) { counts, truth in
            counts.flatMap { count in
                truth.possible.map { verdict in
                    (
                        count.0 + (verdict.inSQL == true ? 1 : 0),
                        count.1 + (verdict.inMemory ? 1 : 0)
                    )
                }
            }
        }
    }

    static func all(_ truths: [ProgramTruth]) -> ProgramTruth {
        truths.reduce(.yes) { first, second in
            ProgramTruth(
                possible: Set(
                    first.possible.flatMap { one in second.possible.map { one.and($0) } }))
        }
    }

    static func any(_ truths: [ProgramTruth]) -> ProgramTruth {
        all(truths.map(\.opposite)).opposite
    }

    /// The result of a condition if the documentation permits each of these results.
    static func open(_ truths: [ProgramTruth]) -> ProgramTruth {
        ProgramTruth(possible: truths.reduce(into: []) { $0.formUnion($1.possible) })
    }
}

extension ProgramCondition {
    func truth(_ number: Int, in graph: ProgramGraph) -> ProgramTruth {
        guard let node = graph.nodes[number] else { return .no }
        switch self {
        case .everything: return .yes
        case .compare(let link, let attribute, let comparison, let value):
            guard let link else {
                return comparison.truth(node.values[attribute], value)
            }
            guard let end = graph.ends(number, link).first else {
                if value == nil { return .unknown }
                return comparison == .unequal ? .different : .nothing
            }
            return comparison.truth(graph.nodes[end]?.values[attribute], value)
        case .search(let attribute, let search, let options, let text):
            return search.truth(node.values[attribute], options, text)
        case .among(let attribute, let values):
            guard let value = node.values[attribute] else {
                return values.isEmpty ? .no : .nothing
            }
            return .any(values.map { ProgramCondition.Comparison.equal.truth(value, $0) })
        case .leads(let link, let end):
            let current = graph.ends(number, link).first
            return current == nil && end != nil ? .nothing : ProgramTruth(current == end)
        case .isOneOf(let numbers): return ProgramTruth(numbers.contains(number))
        case .members(let quantity, let link, let attribute, let comparison, let value):
            let truths = graph.ends(number, link).map {
                comparison.truth(graph.nodes[$0]?.values[attribute], value).ofMember
            }
            switch quantity {
            case .any: return .any(truths)
            case .none: return ProgramTruth.any(truths).opposite
            case .all: return truths.isEmpty ? .unknown : .all(truths)
            }
        case .hasMember(let link, let end):
            return ProgramTruth(graph.ends(number, link).contains(end))
        case .count(let link, let comparison, let count):
            return comparison.truth(.whole(graph.ends(number, link).count), .whole(count))
        case .counted(let link, let attribute, let comparison, let value, let than, let count):
            let truths = graph.ends(number, link).map {
                comparison.truth(graph.nodes[$0]?.values[attribute], value)
            }
            return .open(
                ProgramTruth.counts(truths).map { counts in
                    ProgramTruth(
                        inSQL: than.truth(.whole(counts.inSQL), .whole(count)).isFound,
                        inMemory: than.truth(.whole(counts.inMemory), .whole(count)) == .yes)
                })
        case .not(let condition): return condition.truth(number, in: graph).opposite
        case .both(let first, let second):
            return .all([first.truth(number, in: graph), second.truth(number, in: graph)])
        case .either(let first, let second):
            return .any([first.truth(number, in: graph), second.truth(number, in: graph)])
        }
    }
}

extension ProgramCondition.Comparison {
    func truth(_ value: ProgramValue?, _ other: ProgramValue?) -> ProgramTruth {
        guard let other else {
            return ProgramTruth(self == .equal ? value == nil : value != nil)
        }
        guard let value else { return self == .unequal ? .different : .nothing }
        let isSame = value.text == other.text
        if self == .equal { return ProgramTruth(isSame) }
        if self == .unequal { return ProgramTruth(!isSame) }
        guard value.isPlain, other.isPlain, let isLess = value.isLess(than: other) else {
            return .unknown
        }
        switch self {
        case .less: return ProgramTruth(isLess)
        case .atMost: return ProgramTruth(isLess || isSame)
        case .greater: return ProgramTruth(!isLess && !isSame)
        default: return ProgramTruth(!isLess)
        }
    }
}

extension ProgramCondition.Search {
    func truth(_ value: ProgramValue?, _ options: String, _ text: String) -> ProgramTruth {
        guard case .text(let whole)? = value else { return .nothing }
        guard ProgramValue.text(whole).isPlain, ProgramValue.text(text).isPlain else {
            return .unknown
        }
        switch self {
        case .begins: return ProgramTruth(whole.hasPrefix(text))
        case .ends: return ProgramTruth(whole.hasSuffix(text))
        case .contains: return ProgramTruth(whole.contains(text))
        case .like: return ProgramTruth(whole == text)
        }
    }
}
