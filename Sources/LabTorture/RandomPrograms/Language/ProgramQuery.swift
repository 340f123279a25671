/// A fetch of a random program.
struct ProgramQuery: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        case objects, ids, count
        /// Dictionaries of the attribute values in the store.
        case values([ProgramAttribute])
        /// Totals of the attribute `of` for each value of the attribute `by`.
        case totals(by: ProgramAttribute, of: ProgramAttribute)
    }

    /// Options of the fetch request that do not change the result.
    enum Manner: String, CaseIterable, Sendable {
        case plain, realised, batched, keysOnly, prefetched, without
    }

    var kind: ProgramKind
    var condition: ProgramCondition = .everything
    var sort: ProgramAttribute?
    var isDescending = false
    var limit = 0
    var offset = 0
    var form = Form.objects
    var manner = Manner.plain
    var excludesSubentities = false

    var kinds: [ProgramKind] { excludesSubentities ? [kind] : kind.found }

    var text: String {
        var words = ["fetch \(kind.entity)"]
        switch form {
        case .objects: break
        case .ids: words.append("ids")
        case .count: words.append("count")
        case .values(let list):
            words.append("values of \(list.map(\.rawValue).joined(separator: ", "))")
        case .totals(let key, let value): words.append("totals of \(value) by \(key)")
        }
        if condition != .everything { words.append("where \(condition.text)") }
        if let sort { words.append("sort \(sort)\(isDescending ? " descending" : "")") }
        if limit > 0 { words.append("limit \(limit)") }
        if offset > 0 { words.append("offset \(offset)") }
        if manner != .plain { words.append("(\(manner.rawValue))") }
        if excludesSubentities { words.append("(no subentities)") }
        return words.joined(separator: " ")
    }
}

indirect enum ProgramCondition: Hashable, Sendable {
    enum Comparison: String, CaseIterable, Sendable {
        case equal = "=="
        case unequal = "!="
        case less = "<"
        case atMost = "<="
        case greater = ">"
        case atLeast = ">="
    }

    enum Quantity: String, CaseIterable, Sendable { case any = "ANY", none = "NONE", all = "ALL" }

    enum Search: String, CaseIterable, Sendable {
        case begins = "BEGINSWITH"
        case ends = "ENDSWITH"
        case contains = "CONTAINS"
        case like = "LIKE"
    }

    case everything
    /// Compares an attribute with a value or with nil. The attribute belongs to the object, or to
    /// the destination of its to-one link.
    case compare(ProgramLink?, ProgramAttribute, Comparison, ProgramValue?)
    /// A string search. The strings are the options, such as `[cd]`, and the text to find.
    case search(ProgramAttribute, Search, String, String)
    case among(ProgramAttribute, [ProgramValue])
    /// Compares the destination of a to-one link; nil for no destination.
    case leads(ProgramLink, Int?)
    case isOneOf([Int])
    case members(Quantity, ProgramLink, ProgramAttribute, Comparison, ProgramValue)
    case hasMember(ProgramLink, Int)
    case count(ProgramLink, Comparison, Int)
    /// Counts the members that satisfy the first comparison, and compares the number.
    case counted(ProgramLink, ProgramAttribute, Comparison, ProgramValue, Comparison, Int)
    case not(ProgramCondition)
    case both(ProgramCondition, ProgramCondition)
    case either(ProgramCondition, ProgramCondition)

    var text: String {
        switch self {
        case .everything: "true"
        case .compare(let link, let attribute, let comparison, let value):
            "\(link.map { "\($0.name)." } ?? "")\(attribute) \(comparison.rawValue) "
                + (value?.text ?? "nil")
        case .search(let attribute, let search, let options, let text):
            "\(attribute) \(search.rawValue)\(options) \(ProgramValue.text(text).text)"
        case .among(let attribute, let values):
            "\(attribute) IN {\(values.map(\.text).joined(separator: ", "))}"
        case .leads(let link, let number): "\(link.name) == \(number.map { "#\($0)" } ?? "nil")"
        case .isOneOf(let numbers):
            "SELF IN {\(numbers.map { "#\($0)" }.joined(separator: ", "))}"
        case .members(let quantity, let link, let attribute, let comparison, let value):
            "\(quantity.rawValue) \(link.name).\(attribute) \(comparison.rawValue) \(value.text)"
        case .hasMember(let link, let number): "ANY \(link.name) == #\(number)"
        case .count(let link, let comparison, let count):
            "\(link.name).@count \(comparison.rawValue) \(count)"
        case .counted(let link, let attribute, let comparison, let value, let than, let count):
            "SUBQUERY(\(link.name), $x, $x.\(attribute) \(comparison.rawValue) \(value.text))"
                + ".@count \(than.rawValue) \(count)"
        case .not(let condition): "NOT (\(condition.text))"
        case .both(let first, let second): "(\(first.text)) AND (\(second.text))"
        case .either(let first, let second): "(\(first.text)) OR (\(second.text))"
        }
    }
}
