import Foundation

enum Statistics {
    /// The sum, with missing values as 0. The sum of an empty list is 0.
    static func sum(_ operands: [Operand]) throws(PredicateEvaluationError) -> Operand {
        if let exact = fractions(operands) { return .double(exact) }
        var sum = Operand.integer(0)
        for operand in operands where !operand.isNull {
            sum = try Arithmetic.value(of: "add:to:", sum, operand)
        }
        return sum
    }

    /// The sum of doubles and integers, of which at least one is a double. Nil if any other value
    /// is among them, such as a `Decimal`. Nulls are ignored. The rounding errors are added
    /// separately, as in SQLite, so the sum hardly depends on the order.
    private static func fractions(_ operands: [Operand]) -> Double? {
        var numbers: [Double] = []
        var hasFraction = false
        for operand in operands where !operand.isNull {
            switch operand {
            case .double: hasFraction = true
            case .integer: break
            default: return nil
            }
            numbers.append(operand.double ?? 0)
        }
        guard hasFraction else { return nil }
        var (sum, rest) = (0.0, 0.0)
        for number in numbers {
            let next = sum + number
            rest +=
                sum.magnitude > number.magnitude ? (sum - next) + number : (number - next) + sum
            sum = next
        }
        return rest.isFinite ? sum + rest : sum
    }

    /// The smallest or largest value; `null` for an empty list.
    ///
    /// NaN is neither smaller nor larger than a number. It counts as missing, as in SQLite, which
    /// stores it as NULL.
    static func extreme(
        _ operands: [Operand], _ order: ComparisonResult
    ) throws(PredicateEvaluationError) -> Operand {
        var best = Operand.null
        for operand in operands where !operand.isNull && !operand.isNaN {
            guard !best.isNull else {
                best = operand
                continue
            }
            guard let found = OperandComparison.order(operand, best) else {
                throw PredicateEvaluationError(
                    "values of different kinds have no smallest or largest; compare one kind")
            }
            if found == order { best = operand }
        }
        return best
    }

    static func distinct(_ values: [Any]) -> [Any] {
        var seen = OperandSet()
        return values.filter { seen.insert(Operand($0)) }
    }

    /// The numbers among the operands; missing values are left out.
    static func numbers(_ operands: [Operand]) throws(PredicateEvaluationError) -> [Double] {
        var numbers: [Double] = []
        for operand in operands where !operand.isNull {
            guard let number = operand.double else {
                throw PredicateEvaluationError(
                    "a statistic needs numbers and got \(operand.kind); name a number key")
            }
            numbers.append(number)
        }
        return numbers
    }

    static func median(_ numbers: [Double]) -> Double? {
        let sorted = numbers.filter { !$0.isNaN }.sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// The most frequent values, the smallest first.
    static func modes(_ numbers: [Double]) -> [Double] {
        var counts: [Double: Int] = [:]
        for number in numbers { counts[number, default: 0] += 1 }
        let most = counts.values.max()
        return counts.filter { $0.value == most }.map(\.key).sorted()
    }

    /// The standard deviation of the whole population.
    static func deviation(_ numbers: [Double]) -> Double? {
        guard !numbers.isEmpty else { return nil }
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / Double(numbers.count)).squareRoot()
    }
}

/// A set of operands that compares numbers by value, so 1 and 1.0 are equal.
struct OperandSet {
    private var buckets: [OperandKey: [Operand]] = [:]

    mutating func insert(_ operand: Operand) -> Bool {
        let key = OperandKey(operand)
        if let bucket = buckets[key],
            bucket.contains(where: { OperandComparison.areIdentical($0, operand) })
        {
            return false
        }
        buckets[key, default: []].append(operand)
        return true
    }

    func contains(_ operand: Operand) -> Bool {
        buckets[OperandKey(operand)]?.contains {
            OperandComparison.areIdentical($0, operand)
        } ?? false
    }
}

/// A hash key. Identical operands have equal keys, but equal keys may belong to different operands.
enum OperandKey: Hashable {
    case null
    case number(Double)
    case text(String)
    case data(Data)
    case uuid(UUID)
    case date(Double)
    case object(AnyHashable)
    case other

    init(_ operand: Operand) {
        switch operand {
        case .null: self = .null
        case .integer, .double, .decimal: self = operand.double.map(OperandKey.number) ?? .other
        case .string(let text): self = .text(text)
        case .data(let data): self = .data(data)
        case .uuid(let id): self = .uuid(id)
        case .date(let seconds): self = .date(seconds)
        case .url(let url): self = .text(url.absoluteString)
        case .collection: self = .other
        case .object(let object):
            let identity: Any = (object as? any PredicateIdentity)?.predicateIdentity ?? object
            self = (identity as? AnyHashable).map(OperandKey.object) ?? .other
        }
    }
}

extension Operand {
    var kind: String {
        switch self {
        case .null: "nil"
        case .integer, .double, .decimal: "a number"
        case .string: "a string"
        case .date: "a date"
        case .data: "data"
        case .uuid: "a UUID"
        case .url: "a URL"
        case .collection: "a collection"
        case .object(let object): "a \(type(of: object))"
        }
    }
}
