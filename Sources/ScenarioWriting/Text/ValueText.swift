import ContextHistory
import ScenarioWords

/// Writes values, or tokens that replace them, in the notation of scenario files.
///
/// A value has the same token everywhere in one file, and different tokens in different files.
struct ValueText {
    let secrecy: ValueSecrecy
    private let names: ModelNames
    private let hash: KeyedHash
    private var numbers: [AttributePlace: NumberDisguise] = [:]
    private var dates: [Double: Int] = [:]
    private let flips: Bool
    private let firstDate: Int
    private var fresh = 0

    /// - Parameter values: all values of the run's attributes.
    init(
        _ secrecy: ValueSecrecy, _ names: ModelNames,
        _ values: [AttributePlace: Set<RecordedValue>],
        _ generator: inout some RandomNumberGenerator
    ) {
        self.secrecy = secrecy
        self.names = names
        hash = KeyedHash(&generator)
        flips = Bool.random(using: &generator)
        firstDate = Int.random(in: 0...100_000, using: &generator)
        guard secrecy == .hashed else { return }
        var times: Set<Double> = []
        for (place, values) in values.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            let kind = names.attribute(place.key, of: place.entity)?.kind
            let found = Set(values.compactMap(Self.number))
            if kind == .date {
                times.formUnion(found)
            } else if !found.isEmpty {
                numbers[place] = NumberDisguise(found, limit: Self.limit(kind), &generator)
            }
        }
        for (rank, time) in times.sorted().enumerated() { dates[time] = rank }
    }

    private static func limit(_ kind: RecordedAttribute.Kind?) -> Double {
        switch kind {
        case .integer16: 32_000
        case .integer32: 2_000_000_000
        case .float: 1_000_000
        default: 1e15
        }
    }

    static func number(_ value: RecordedValue) -> Double? {
        switch value {
        case .integer(let number): Double(exactly: number)
        case .number(let number): number.isFinite ? number : nil
        case .decimal(let digits): Double(digits)
        case .null, .flag, .text, .bytes, .object, .lost: nil
        }
    }

    /// The literal of a value; nil if a scenario cannot write it.
    ///
    /// - Parameter isObserved: whether the literal is part of an observation, not of a step.
    mutating func literal(
        _ value: RecordedValue, _ key: String, of entity: String, isObserved: Bool = false
    ) -> String? {
        if case .null = value { return "nil" }
        guard let kind = names.attribute(key, of: entity)?.kind else { return nil }
        if case .lost = value { return token(fresh: kind, isObserved) }
        switch secrecy {
        case .none: return token(fresh: kind, isObserved)
        case .hashed:
            return hashed(value, kind, names.place(of: key, in: entity), isObserved)
        case .full: return Self.plain(value, kind, isObserved)
        }
    }

    /// The operand for `+=`; nil if the addition would not result in the value that was set.
    func difference(
        _ new: RecordedValue, _ old: RecordedValue, _ key: String, of entity: String
    ) -> String? {
        guard let first = Self.number(new), let second = Self.number(old),
            names.attribute(key, of: entity)?.kind != .date
        else { return nil }
        var difference = first - second
        switch secrecy {
        case .none: return nil
        case .hashed:
            let disguise = numbers[names.place(of: key, in: entity)]
            guard let kept = disguise?.difference(first, second) else { return nil }
            difference = kept
        case .full: if second + difference != first { return nil }
        }
        return difference == 0 ? nil : Self.digits(difference)
    }

    /// The expression for the count of members; nil if it cannot be written. It includes the linear
    /// function that replaces the attribute's numbers.
    func counted(_ name: String, _ key: String, of entity: String) -> String? {
        switch secrecy {
        case .full: return name
        case .none: return nil
        case .hashed:
            guard let line = numbers[names.place(of: key, in: entity)]?.line,
                let factor = Self.digits(line.factor), let start = Self.digits(line.start)
            else { return nil }
            return "\(name) * \(factor) + \(start)"
        }
    }

    /// The value, or the token that hides it, for the history of a run. Unknown if the value is an
    /// object.
    func observed(_ value: RecordedValue, _ key: String, of entity: String) -> ObservedValue {
        if case .null = value { return .null }
        guard let kind = names.attribute(key, of: entity)?.kind else { return .unknown }
        let place = names.place(of: key, in: entity)
        let literal: String? =
            switch (secrecy, value) {
            case (.none, _), (_, .lost), (_, .object): nil
            case (.full, .text(let text)): text.inDoubleQuotes
            case (.full, _): Self.plain(value, kind, true)
            case (.hashed, _): hashed(value, kind, place, true)
            }
        return literal.map { Self.observed($0, value) } ?? .unknown
    }

    /// The value of a literal.
    private static func observed(_ literal: String, _ value: RecordedValue) -> ObservedValue {
        if case .text(let text) = value, literal == text.inDoubleQuotes { return .text(text) }
        if literal.hasPrefix("\"") { return .text(String(literal.dropFirst().dropLast())) }
        if literal == "true" || literal == "false" { return .flag(literal == "true") }
        if case .number = value { return Double(literal).map { .number($0) } ?? .unknown }
        return Int64(literal).map { .integer($0) } ?? Double(literal).map { .number($0) }
            ?? .unknown
    }

    // MARK: The values themselves

    private static func plain(
        _ value: RecordedValue, _ kind: RecordedAttribute.Kind, _ isObserved: Bool
    ) -> String? {
        switch (kind, value) {
        case (.boolean, .flag(let flag)): "\(flag)"
        case (.boolean, .integer(let number)): "\(number != 0)"
        case (.date, .number(let seconds)): CalendarText.date(seconds)
        case (.decimal, .decimal(let digits)):
            isObserved ? digits.inDoubleQuotes : digits
        case (_, .integer(let number)): "\(number)"
        case (_, .number(let number)): digits(number)
        case (_, .text(let text)):
            text.count <= 20_000 ? text.inDoubleQuotes : nil
        case (.binary, .bytes(let bytes)): Base64.text(bytes).inDoubleQuotes
        default: nil
        }
    }

    static func digits(_ number: Double) -> String? {
        guard number.isFinite else { return nil }
        if let whole = Int64(exactly: number) { return "\(whole)" }
        let text = "\(number)"
        return text.contains("e") ? nil : text
    }

    // MARK: Tokens

    private func hashed(
        _ value: RecordedValue, _ kind: RecordedAttribute.Kind, _ place: AttributePlace,
        _ isObserved: Bool
    ) -> String? {
        switch (kind, value) {
        case (.boolean, .flag(let flag)): return "\(flag != flips)"
        case (.boolean, .integer(let number)): return "\((number != 0) != flips)"
        case (.date, .number(let seconds)): return date(rank: dates[seconds] ?? 0)
        case (_, .text(let text)): return token(hash.hash(text.utf8), kind)
        case (_, .bytes(let bytes)): return token(hash.hash(bytes), kind)
        default:
            guard let number = Self.number(value), let disguise = numbers[place],
                let digits = Self.digits(disguise.written(number))
            else { return inexact(value) }
            return kind == .decimal && isObserved ? digits.inDoubleQuotes : digits
        }
    }

    /// The token for a number. Equal numbers have equal tokens, and the order is not kept.
    private func inexact(_ value: RecordedValue) -> String? {
        switch value {
        case .integer(let number): "\(hash.hash("\(number)".utf8) % 1_000_000_000)"
        case .number(let number): "\(hash.hash("\(number)".utf8) % 1_000_000_000)"
        case .decimal(let digits): "\(hash.hash(digits.utf8) % 1_000_000_000)"
        case .null, .flag, .text, .bytes, .object, .lost: nil
        }
    }

    private func date(rank: Int) -> String { CalendarText.date(Double(seconds(rank: rank))) }

    private func seconds(rank: Int) -> Int { firstDate * 1000 + rank * 60 }

    /// The date as a number, for comparisons in predicates.
    func seconds(_ value: RecordedValue) -> Int? {
        guard case .number(let time) = value, time.magnitude < 1e11 else { return nil }
        switch secrecy {
        case .full: return Int(time.rounded(.down))
        case .hashed: return dates[time].map(seconds(rank:))
        case .none: return nil
        }
    }

    /// The token for a value that is stored as text or data.
    private func token(_ hash: UInt64, _ kind: RecordedAttribute.Kind) -> String {
        let digits = String(hash, radix: 16)
        let word = String(repeating: "0", count: 16 - digits.count) + digits
        switch kind {
        case .uuid:
            let upper = word.uppercased()
            let groups = [
                upper.prefix(8), upper.dropFirst(8).prefix(4), upper.dropFirst(12).prefix(4),
                upper.prefix(4), upper.suffix(12),
            ]
            return "\"\(groups.joined(separator: "-"))\""
        case .binary: return (Base64.text(Array(word.utf8))).inDoubleQuotes
        case .uri: return "\"token:\(word)\""
        default: return "\"t-\(word)\""
        }
    }

    private mutating func token(
        fresh kind: RecordedAttribute.Kind, _ isObserved: Bool
    ) -> String? {
        if isObserved { return "\"*\"" }
        fresh += 1
        switch kind {
        case .integer16, .integer32, .integer64, .double, .float, .decimal:
            return "\(7000 + fresh)"
        case .boolean: return "\(fresh % 2 == 0)"
        case .date: return date(rank: fresh)
        case .string, .uuid, .uri, .binary:
            return token(hash.hash("\(fresh)".utf8), kind)
        }
    }
}
