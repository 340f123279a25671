import Testing

@testable import CoreDataPredicate

private struct PredicateGenerator {
    var random: SeededRandom

    static let strings = [
        "", "x", "it's", "say \"hi\"", "back\\slash", "é\n\t\u{1}", "%@ %K", "\u{1F600}",
    ]
    static let keys = ["a", "b", "title", "in", "size", "first", "länge", "_x9"]

    mutating func predicate(_ depth: Int) -> NSPredicate {
        switch self.random.below(depth == 0 ? 3 : 7) {
        case 0: return NSPredicate(value: random.below(2) == 0)
        case 1, 2, 3: return comparison(depth)
        case 4: return NSCompoundPredicate(notPredicateWithSubpredicate: predicate(depth - 1))
        case 5: return NSCompoundPredicate(type: .and, subpredicates: parts(depth))
        default: return NSCompoundPredicate(type: .or, subpredicates: parts(depth))
        }
    }

    private mutating func parts(_ depth: Int) -> [NSPredicate] {
        (0..<(2 + random.below(3))).map { _ in predicate(depth - 1) }
    }

    private mutating func comparison(_ depth: Int) -> NSPredicate {
        let types: [NSComparisonPredicate.Operator] = [
            .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo,
            .notEqualTo, .matches, .like, .beginsWith, .endsWith, .in, .contains, .between,
        ]
        let type = random.element(of: types)
        let right =
            type == .between
            ? NSExpression(forAggregate: [expression(depth - 1), expression(depth - 1)])
            : expression(depth)
        let options = NSComparisonPredicate.Options(rawValue: UInt(random.below(16)))
        return NSComparisonPredicate(
            leftExpression: expression(depth), rightExpression: right,
            modifier: random.element(of: [.direct, .direct, .any, .all]), type: type,
            options: random.below(3) == 0 ? options : [])
    }

    mutating func expression(_ depth: Int) -> NSExpression {
        guard depth > 0 else { return leaf() }
        switch self.random.below(14) {
        case 0:
            return NSExpression(
                forAggregate: (0..<random.below(4)).map { _ in expression(depth - 1) })
        case 1: return NSExpression(node: .element(expression(depth - 1), index(depth)))
        case 2: return NSExpression(node: .path(.init(forVariable: "x"), keys()))
        case 3, 4, 5: return binary(depth)
        case 6:
            return NSExpression(
                node: .function(
                    random.element(of: ["sum:", "lowercase:", "noindex:", "first:"]),
                    [expression(depth - 1)]))
        case 7:
            return NSExpression(
                forSubquery: expression(depth - 1), usingIteratorVariable: "y",
                predicate: predicate(depth - 1))
        case 8:
            return NSExpression(
                forConditional: predicate(depth - 1), trueExpression: expression(depth - 1),
                falseExpression: expression(depth - 1))
        case 9:
            return NSExpression(
                forFunction: expression(depth - 1), selectorName: "valueForKey:", arguments: ["a"])
        case 10:
            return NSExpression(node: .set(.minus, expression(depth - 1), expression(depth - 1)))
        case 11: return NSExpression(node: .assignment("z", expression(depth - 1)))
        default: return leaf()
        }
    }

    private mutating func binary(_ depth: Int) -> NSExpression {
        let names = [
            "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "raise:toPower:",
            "modulus:by:", "bitwiseXor:with:",
        ]
        return NSExpression(
            node: .function(
                random.element(of: names), [expression(depth - 1), expression(depth - 1)]))
    }

    private mutating func index(_ depth: Int) -> ExpressionNode.CollectionIndex {
        switch self.random.below(4) {
        case 0: .first
        case 1: .last
        case 2: .size
        default: .at(expression(depth - 1))
        }
    }

    private mutating func keys() -> [String] {
        (0...random.below(3)).map { _ in random.element(of: Self.keys) }
    }

    private mutating func leaf() -> NSExpression {
        switch self.random.below(8) {
        case 0: return NSExpression(node: .keyPath(keys()))
        case 1:
            return NSExpression(node: .keyPath(keys() + ["@avg", random.element(of: Self.keys)]))
        case 2: return .expressionForEvaluatedObject()
        case 3: return NSExpression(forVariable: "v")
        default: return NSExpression(forConstantValue: constant())
        }
    }

    private mutating func constant() -> Any? {
        switch self.random.below(12) {
        case 0: nil
        case 1: true
        case 2: random.below(2000) - 1000
        case 3: Int.min
        case 4: Double(random.below(2000) - 1000) / 64
        case 5: Double.greatestFiniteMagnitude
        case 6: Date(timeIntervalSinceReferenceDate: Double(random.below(1000)) - 500.25)
        case 7: Decimal(random.below(1000)) / 8
        case 8: Data([1, 2, UInt8(random.below(256))])
        case 9: UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF")
        case 10: URL(string: "https://example.org/a?b=c")
        default: random.element(of: Self.strings)
        }
    }
}

@Suite struct PrintingTests {
    @Test(arguments: UInt64(1)...8)
    func `a printed predicate parses back to an equal one`(seed: UInt64) throws {
        var generator = PredicateGenerator(random: SeededRandom(seed: seed))
        for round in 0..<400 {
            let predicate = generator.predicate(round % 4)
            let text = predicate.predicateFormat
            let parsed: NSPredicate
            do {
                parsed = try NSPredicate.parse(text)
            } catch {
                Issue.record("seed \(seed), round \(round): \(text): \(error)")
                return
            }
            guard parsed == predicate, parsed.hash == predicate.hash else {
                Issue.record("seed \(seed), round \(round): \(text) became \(parsed)")
                return
            }
            #expect(parsed.predicateFormat == text)
        }
    }

    @Test func `constants without a literal print as casts`() {
        let id = UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF")
        #expect(
            NSPredicate(format: "a = %@", id).predicateFormat
                == "a == CAST(\"6F9619FF-8B86-D011-B42D-00C04FC964FF\", \"NSUUID\")")
        #expect(
            NSPredicate(format: "a = %@", Data([0, 1, 2])).predicateFormat
                == "a == CAST(\"AAEC\", \"NSData\")")
    }

    @Test func `numbers of every width compare as equal constants`() {
        #expect(NSPredicate(format: "a = %@", 1) == NSPredicate(format: "a == 1.0"))
        #expect(NSPredicate(format: "a = YES") == NSPredicate(format: "a == 1"))
        #expect(NSPredicate(format: "a = 1") != NSPredicate(format: "a == 2"))
        #expect(NSPredicate(format: "a = 1") != NSPredicate(format: "a >= 1"))
        #expect(NSPredicate(format: "a = 1") != NSPredicate(format: "ANY a = 1"))
    }

    @Test func `a compound of one part prints as this part, an empty one as its value`() {
        let part = NSPredicate(format: "a == 1")
        #expect(NSCompoundPredicate(type: .and, subpredicates: [part]).predicateFormat == "a == 1")
        #expect(
            NSCompoundPredicate(type: .and, subpredicates: []).predicateFormat == "TRUEPREDICATE")
        #expect(
            NSCompoundPredicate(type: .or, subpredicates: []).predicateFormat == "FALSEPREDICATE")
    }
}
