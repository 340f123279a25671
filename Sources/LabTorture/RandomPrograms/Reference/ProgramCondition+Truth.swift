/// The truth of a condition, as far as Core Data's documentation defines it.
enum ProgramTruth: Sendable {
    case yes, no
    /// A compared value is nil: the condition is false, and its negation is not documented.
    case nothing
    case unknown

    init(_ holds: Bool) { self = holds ? .yes : .no }

    var opposite: ProgramTruth {
        switch self {
        case .yes: .no
        case .no: .yes
        case .nothing, .unknown: .unknown
        }
    }

    static func all(_ truths: [ProgramTruth]) -> ProgramTruth {
        if truths.contains(.no) { return .no }
        if truths.contains(.nothing) { return .nothing }
        return truths.contains(.unknown) ? .unknown : .yes
    }

    static func any(_ truths: [ProgramTruth]) -> ProgramTruth {
        if truths.contains(.yes) { return .yes }
        if truths.contains(.unknown) { return .unknown }
        return truths.contains(.nothing) ? .nothing : .no
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
                return value == nil || comparison == .unequal ? .unknown : .nothing
            }
            return comparison.truth(graph.nodes[end]?.values[attribute], value)
        case .search(let attribute, let search, let options, let text):
            return search.truth(node.values[attribute], options, text)
        case .among(let attribute, let values):
            guard let value = node.values[attribute] else { return .nothing }
            return .any(values.map { ProgramCondition.Comparison.equal.truth(value, $0) })
        case .leads(let link, let end): return ProgramTruth(graph.ends(number, link).first == end)
        case .isOneOf(let numbers): return ProgramTruth(numbers.contains(number))
        case .members(let quantity, let link, let attribute, let comparison, let value):
            let truths = graph.ends(number, link).map {
                comparison.truth(graph.nodes[$0]?.values[attribute], value)
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
            if truths.contains(.unknown) { return .unknown }
            return than.truth(.whole(truths.count { $0 == .yes }), .whole(count))
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
        guard let value else { return self == .unequal ? .unknown : .nothing }
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
