import Testing

@testable import CoreDataPredicate

@Suite struct DepthTests {
    /// Runs work on a thread with the smallest stack that programs use.
    private func onSmallStack(_ work: @escaping @Sendable () -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: work()) }
            // The frames of the thread sanitizer are several times larger.
            thread.stackSize = dlsym(nil, "__tsan_init") == nil ? 1 << 20 : 1 << 23
            thread.start()
        }
    }

    @Test func `the deepest format that parses also prints and evaluates on a small stack`() async {
        let depth = FormatParser.depthMax - 2
        let open = String(repeating: "NOT (a == 2 OR ", count: depth / 2)
        let format = open + "a == 1" + String(repeating: ")", count: depth / 2)
        let sum =
            "a == " + Array(repeating: "0", count: FormatParser.chainMax - 1).joined(separator: "+")
        let isFine = await onSmallStack {
            guard let nested = try? NSPredicate.parse(format),
                let chain = try? NSPredicate.parse(sum)
            else { return false }
            return nested.predicateFormat.hasPrefix("NOT (a == 2 OR NOT")
                && (try? nested.evaluateCore(with: ["a": 1])) != nil
                && (try? chain.evaluateCore(with: ["a": 0])) == true
                && chain.predicateFormat.hasPrefix("a == 0 + 0 + 0")
                && chain.mappingConstants { $0 } == chain
        }
        #expect(isFine)
    }

    @Test(arguments: ["{", "(", "-", "NOT "])
    func `the printed form of a deep argument can be parsed`(_ level: String) throws {
        let closing = ["{": "}", "(": ")"][level] ?? ""
        let values: [Any] = [
            -1, -0.5, Double.nan, Decimal(1), Date(timeIntervalSinceReferenceDate: -1), Data([1]),
            UUID(), [-1, 2], [[Date.distantPast]], "text", 1,
        ]
        var (parsed, refused) = (0, 0)
        for value in values {
            for depth in FormatParser.depthMax - 8...FormatParser.depthMax {
                let before = String(repeating: level, count: depth)
                let after = String(repeating: closing, count: depth)
                let format = level == "NOT " ? before + "a == %@" : "a == " + before + "%@" + after
                guard let predicate = try? NSPredicate.parse(format, [value]) else {
                    refused += 1
                    continue
                }
                parsed += 1
                let again = try NSPredicate.parse(predicate.predicateFormat)
                #expect(again.predicateFormat == predicate.predicateFormat)
            }
        }
        #expect(parsed > 0 && refused > 0)
    }

    private static let levels = 100_000

    private static func nested(
        _ start: NSPredicate, _ wrap: (NSPredicate, Int) -> NSPredicate
    ) -> NSPredicate {
        (0..<levels).reduce(start) { wrap($0, $1) }
    }

    private static func sum(_ one: NSExpression) -> NSExpression {
        (0..<levels).reduce(one) { sum, _ in
            NSExpression(
                forFunction: "add:to:", arguments: [sum, NSExpression(forConstantValue: 1)])
        }
    }

    @Test func `predicates of any depth are created, evaluated, printed and released`() async {
        let isFine = await onSmallStack {
            let not = Self.nested(NSPredicate(format: "a == 1")) { inner, _ in
                NSCompoundPredicate(notPredicateWithSubpredicate: inner)
            }
            let or = Self.nested(NSPredicate(format: "a == 1")) { inner, index in
                NSCompoundPredicate(orPredicateWithSubpredicates: [
                    inner, NSPredicate(format: "a == %d", index + 2),
                ])
            }
            return not.evaluate(with: ["a": 1]) && !not.evaluate(with: ["a": 2])
                && or.evaluate(with: ["a": 100_001]) && !or.evaluate(with: ["a": -1])
                && not.predicateFormat.hasPrefix("NOT NOT NOT ")
                && or.predicateFormat.hasSuffix(" OR a == 100001")
        }
        #expect(isFine)
    }

    @Test func `deep trees are compared, hashed, rewritten and searched for key paths`() async {
        let isFine = await onSmallStack {
            func plain(_ number: Int) -> NSPredicate {
                Self.nested(NSPredicate(format: "a.b == %d", number)) { inner, _ in
                    NSCompoundPredicate(andPredicateWithSubpredicates: [
                        inner, NSPredicate(format: "c != $x"),
                    ])
                }
            }
            let (one, same, other) = (plain(1), plain(1), plain(2))
            let bound = one.withSubstitutionVariables(["x": 7])
            return one == same && one != other && one.hash == same.hash
                && one.keyPaths == [["a", "b"], ["c"]]
                && one.mappingConstants { ($0 as? Int) == 1 ? 2 : $0 } == other
                && one.mappingConstants { $0 } == one
                && bound != one && bound.evaluate(with: ["a": ["b": 1], "c": 8])
                && !bound.evaluate(with: ["a": ["b": 1], "c": 7])
        }
        #expect(isFine)
    }

    @Test func `deep expressions have the results of shallow ones, also around conditions`() async {
        let isFine = await onSmallStack {
            let sum = Self.sum(NSExpression(forKeyPath: "a"))
            let comparison = NSComparisonPredicate(
                leftExpression: sum, rightExpression: NSExpression(forConstantValue: 100_003),
                modifier: .direct, type: .equalTo)
            let deepTruth = Self.nested(comparison) { inner, _ in
                NSCompoundPredicate(notPredicateWithSubpredicate: inner)
            }
            let choice = NSExpression(
                forConditional: deepTruth, trueExpression: NSExpression(forConstantValue: "yes"),
                falseExpression: sum)
            let found = NSExpression(
                forSubquery: NSExpression(forKeyPath: "list"), usingIteratorVariable: "x",
                predicate: Self.nested(NSPredicate(format: "$x > 1")) { inner, _ in
                    NSCompoundPredicate(notPredicateWithSubpredicate: inner)
                })
            let object: [String: Any] = ["a": 3, "list": [1, 2, 3]]
            return sum.expressionValue(with: object, context: nil) as? Int == 100_003
                && comparison.evaluate(with: object)
                && choice.expressionValue(with: object, context: nil) as? String == "yes"
                && choice.expressionValue(with: ["a": 0], context: nil) as? Int == 100_000
                && (found.expressionValue(with: object, context: nil) as? [Any])?.count == 2
                && sum.description.hasPrefix("a + 1 + 1")
        }
        #expect(isFine)
    }

    @Test func `a part that is retained outlives the tree around it`() async {
        let isFine = await onSmallStack {
            var kept: NSPredicate?
            var weakRoot = WeakReference()
            do {
                let root = Self.nested(NSPredicate(format: "a == 1")) { inner, index in
                    if index == Self.levels / 2 { kept = inner }
                    return NSCompoundPredicate(notPredicateWithSubpredicate: inner)
                }
                weakRoot.object = root
            }
            return weakRoot.object == nil && kept?.evaluate(with: ["a": 1]) == true
        }
        #expect(isFine)
    }
}

private struct WeakReference {
    weak var object: NSPredicate?
}
