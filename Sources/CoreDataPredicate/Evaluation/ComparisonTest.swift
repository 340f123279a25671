import Foundation

/// Evaluates a comparison of two values, or for ANY and ALL of one element.
struct ComparisonTest {
    private let type: NSComparisonPredicate.Operator
    private let options: NSComparisonPredicate.Options
    private let selector: Selector?
    private let prepared: PreparedOperand
    private var texts: StringOrder { StringOrder(options) }

    init(_ comparison: Comparison) {
        type = comparison.operator
        options = comparison.options
        selector = comparison.selector
        prepared = comparison.prepared
    }

    /// Whether the comparison is true.
    ///
    /// If a value is missing, only `==` and `!=` can be true. Two missing values are equal.
    func holds(_ left: Operand, _ right: Operand) throws(PredicateEvaluationError) -> Bool {
        switch type {
        case .equalTo: return equals(left, right)
        case .notEqualTo: return !equals(left, right)
        case .lessThan: return try order(left, right) == .orderedAscending
        case .greaterThan: return try order(left, right) == .orderedDescending
        case .lessThanOrEqualTo:
            let order = try order(left, right)
            return order == .orderedAscending || order == .orderedSame
        case .greaterThanOrEqualTo:
            let order = try order(left, right)
            return order == .orderedDescending || order == .orderedSame
        case .between: return try between(left, right)
        case .in: return try contains(right, left, "IN")
        case .contains: return try contains(left, right, "CONTAINS")
        case .beginsWith, .endsWith, .like, .matches: return try text(left, right)
        case .customSelector: return try calls(left, right)
        }
    }

    private func equals(_ left: Operand, _ right: Operand) -> Bool {
        if let order = textOrder(left, right) { return order == .orderedSame }
        return OperandComparison.areIdentical(left, right)
    }

    /// Compares two strings or two URLs by the options of the comparison; nil without options.
    private func textOrder(_ left: Operand, _ right: Operand) -> ComparisonResult? {
        if options.isEmpty { return nil }
        switch (left, right) {
        case (.string(let left), .string(let right)): return texts.compare(left, right)
        case (.url(let left), .url(let right)):
            return texts.compare(left.absoluteString, right.absoluteString)
        default: return nil
        }
    }

    /// The order of two values; `nil` if a value is missing or NaN.
    func order(
        _ left: Operand, _ right: Operand
    ) throws(PredicateEvaluationError) -> ComparisonResult? {
        if left.isNull || right.isNull { return nil }
        if let order = textOrder(left, right) { return order }
        if let order = OperandComparison.order(left, right) { return order }
        if left.isNaN || right.isNaN { return nil }
        throw PredicateEvaluationError(
            "\(left.kind) and \(right.kind) have no order; compare values of one kind, or CAST one")
    }

    private func between(
        _ value: Operand, _ bounds: Operand
    ) throws(PredicateEvaluationError) -> Bool {
        guard case .collection(let collection) = bounds, collection.elements.count == 2 else {
            throw PredicateEvaluationError(
                "BETWEEN needs two bounds and got \(bounds.kind); write BETWEEN {low, high}")
        }
        let low = try order(Operand(collection.elements[0]), value)
        let high = try order(value, Operand(collection.elements[1]))
        guard let low, let high else { return false }
        return low != .orderedDescending && high != .orderedDescending
    }

    // MARK: Membership

    /// Returns whether a collection contains an element, a dictionary contains a value, or a string
    /// contains a substring.
    private func contains(
        _ whole: Operand, _ part: Operand, _ name: String
    ) throws(PredicateEvaluationError) -> Bool {
        if case .members(let members) = prepared { return members.contains(part) }
        switch whole {
        case .null: return false
        case .collection(let collection):
            return collection.elements.contains { equals(Operand($0), part) }
        case .string, .url:
            if part.isNull { return false }
            guard let whole = Self.text(whole), let part = Self.text(part) else { break }
            return StringSearch.contains(
                StringSearch.folded(whole, options), folded(part, for: name))
        case .object(let dictionary as any TextKeyed):
            return dictionary.keyedValues.contains { equals(Operand($0), part) }
        case .object(let dictionary as NSDictionary):
            return dictionary.allValues.contains { equals(Operand($0), part) }
        default: break
        }
        throw PredicateEvaluationError(
            "Can't use in/contains operator with \(whole.kind) around \(part.kind); use a "
                + "collection, or strings on both sides")
    }

    private func folded(_ part: String, for name: String) -> String {
        // The prepared operand is the right side of the comparison. In CONTAINS that is the
        // substring, but in IN it is the searched string.
        if name == "CONTAINS", case .folded(let folded) = prepared { return folded }
        return StringSearch.folded(part, options)
    }

    // MARK: Text

    private static func text(_ operand: Operand) -> String? {
        switch operand {
        case .string(let text): text
        case .url(let url): url.absoluteString
        default: nil
        }
    }

    private func text(_ left: Operand, _ right: Operand) throws(PredicateEvaluationError) -> Bool {
        if left.isNull || right.isNull { return false }
        guard let text = Self.text(left), let pattern = Self.text(right) else {
            throw PredicateEvaluationError(
                "Can't do a substring operation with something that isn't a string (lhs = "
                    + "\(left.kind) rhs = \(right.kind)); CAST it to NSString")
        }
        switch (type, prepared) {
        case (.matches, .regularExpression(let compiled)): return try compiled.matches(text)
        case (.matches, _): return try RegularExpressionPattern(pattern, options).matches(text)
        case (.like, .wildcards(let compiled)):
            return compiled.matches(StringSearch.folded(text, options))
        case (.like, _):
            return WildcardPattern(StringSearch.folded(pattern, options))
                .matches(StringSearch.folded(text, options))
        default:
            let text = StringSearch.folded(text, options)
            let part: String
            if case .folded(let folded) = prepared {
                part = folded
            } else {
                part = StringSearch.folded(pattern, options)
            }
            return type == .beginsWith
                ? StringSearch.begins(text, with: part) : StringSearch.ends(text, with: part)
        }
    }

    private func calls(_ left: Operand, _ right: Operand) throws(PredicateEvaluationError) -> Bool {
        guard let name = selector?.name else { return false }
        if name == "isEqual:" { return OperandComparison.areIdentical(left, right) }
        let result = try SelectorCall.value(of: name, on: left, [right])
        return result.double.map { $0 != 0 } ?? false
    }
}
