import CoreDataTrace
import Synchronization
import Testing

@testable import CoreDataPredicate

@Suite struct VariableArgumentTests {
    private func predicate(_ format: String, _ arguments: any CVarArg...) -> NSPredicate {
        withVaList(arguments) { NSPredicate(format: format, arguments: $0) }
    }

    @Test func `numbers are read from variable arguments as C reads them`() {
        let found = predicate(
            "a == %d AND b == %ld AND c == %lld AND d == %f AND e == %u AND f == %.2Lf OR g < %hd",
            Int32(-7), Int.max, Int64.min, 2.5, UInt32.max, Float80(0.25), Int16(3))
        let expected = NSPredicate(
            format: "a == -7 AND b == \(Int.max) AND c == %@ AND d == 2.5 AND e == 4294967295"
                + " AND f == 0.25 OR g < 3",
            argumentArray: [Int64.min])
        #expect(found == expected)
        #expect(predicate("a == %lu", UInt.max).evaluate(with: ["a": UInt.max]))
        #expect(!predicate("a == %lu", UInt.max).evaluate(with: ["a": -1]))
    }

    @Test func `values are read from variable arguments as themselves`() {
        let date = Date(timeIntervalSinceReferenceDate: 100), id = UUID()
        let found = predicate(
            "%K == %@ AND id == %@ AND n == %@ AND %@ CONTAINS x AND '%@' != t",
            "place.when" as NSString, date, id, 5 as NSNumber, ["a", "b"])
        let expected = NSPredicate(
            format: "place.when == %@ AND id == %@ AND n == 5 AND %@ CONTAINS x AND '%@' != t",
            argumentArray: [date, id, ["a", "b"]])
        #expect(found == expected)
        let values: [String: Any] = [
            "place": ["when": date], "id": id, "n": 5, "x": "a", "t": "other",
        ]
        #expect(found.evaluate(with: values))
    }

    /// Published apps have wrapper functions that pass format arguments in this form.
    @Test func `texts are read from variable arguments, as values and as keys`() {
        let found = predicate("%K == %@ AND %K.%K != %@", "name", "Ann", "place", "city", "Rome")
        #expect(found.predicateFormat == "name == \"Ann\" AND place.city != \"Rome\"")
        let long = String(repeating: "ä", count: 1_000)
        #expect(predicate("name == %@", long).evaluate(with: ["name": long]))
    }

    @Test func `an object among variable arguments is not retained`() {
        final class Thing: NSObject {}
        weak var held: Thing?
        do {
            let thing = Thing()
            held = thing
            let found = predicate("SELF == %@", thing)
            #expect(found.evaluate(with: thing))
        }
        #expect(held == nil)
    }

    @Test func `lists and sets of objects are read as such, and not retained`() {
        final class Thing: NSObject {}
        weak var held: Thing?
        do {
            let (first, second) = (Thing(), Thing())
            held = first
            for members in [[first], Set([first])] as [any CVarArg] {
                let found = predicate("SELF IN %@ AND TRUEPREDICATE", members)
                #expect(found.evaluate(with: first) && !found.evaluate(with: second))
            }
            let both = predicate("SELF IN %@ AND n == %@", [first, second] as NSArray, "z")
            #expect(both.predicateFormat.hasSuffix("AND n == \"z\""))
        }
        #expect(held == nil)
    }

    @Test func `D-064: a list whose objects were released is reported`() {
        let lines = Mutex<[String]>([])
        EngineLog.capture({ line in lines.withLock { $0.append(line) } }) {
            let address = [NSObject()]._cVarArgEncoding[0]
            #expect(!predicate("SELF IN %@", address).evaluate(with: "a"))
        }
        #expect(lines.withLock { $0.count } == 1)
    }

    @Test func `D-064: an unknown address in variable arguments is reported`() {
        let lines = Mutex<[String]>([])
        EngineLog.capture({ line in lines.withLock { $0.append(line) } }) {
            let found = predicate("name == %@ OR TRUEPREDICATE", 4711)
            #expect(!found.evaluate(with: ["name": "a"]))
            withVaList([4711]) { list in
                let comparison = NSComparisonPredicate(format: "name == %@", arguments: list)
                #expect(!comparison.evaluate(with: ["name": "a"]))
                let compound = NSCompoundPredicate(format: "a == 1 OR a == %@", arguments: list)
                #expect(!compound.evaluate(with: ["a": 1]))
                let expression = NSExpression(format: "a + %@", arguments: list)
                #expect(expression.expressionValue(with: ["a": 1], context: nil) == nil)
            }
        }
        let told = lines.withLock { $0 }
        #expect(told.count == 4)
        #expect(told.allSatisfy { $0.contains("is not the address of a known object") })
        #expect(told.first?.contains("argument 1 for %@") == true)
    }

    @Test func `an expression reads variable arguments`() {
        let sum = withVaList(["price" as NSString, 0.5]) {
            NSExpression(format: "%K * %f", arguments: $0)
        }
        #expect(sum.expressionValue(with: ["price": 8], context: nil) as? Double == 4)
        #expect(sum.description == "price * 0.5")
    }
}

@Suite struct SpotlightTests {
    @Test func `ANYKEY is parsed and printed`() {
        let any = NSExpression.expressionForAnyKey()
        #expect(any.expressionType == .anyKey && any.expressionType.rawValue == 15)
        #expect(any == NSExpression(expressionType: .anyKey))
        #expect(any != NSExpression.expressionForEvaluatedObject())
        let predicate = NSPredicate(format: "anykey == 'x' AND a == $A")
        #expect(predicate.predicateFormat == "ANYKEY == \"x\" AND a == $A")
        #expect(NSPredicate(format: predicate.predicateFormat) == predicate)
        let bound = predicate.withSubstitutionVariables(["A": 1])
        #expect(bound.predicateFormat == "ANYKEY == \"x\" AND a == 1")
        #expect((predicate as? NSCompoundPredicate)?.subpredicates.count == 2)
    }

    @Test func `D-063: conditions of Spotlight are reported, and false or nil`() {
        let lines = Mutex<[String]>([])
        EngineLog.capture({ line in lines.withLock { $0.append(line) } }) {
            #expect(!NSPredicate(format: "ANYKEY == 'spotlight'").evaluate(with: ["a": "b"]))
            let any = NSExpression.expressionForAnyKey()
            #expect(any.expressionValue(with: ["a": "b"], context: nil) == nil)
            #expect(NSPredicate(fromMetadataQueryString: "kMDItemTitle == 'x'") == nil)
            #expect(NSPredicate(fromMetadataQueryString: "kMDItemTitle == 'y'") == nil)
        }
        let told = lines.withLock { $0 }
        #expect(told.count == 3)
        #expect(told.last?.contains("Linux has no Spotlight") == true)
        #expect(throws: PredicateEvaluationError.self) {
            try NSPredicate(format: "ANYKEY == 1").evaluateCore(with: ["a": 1])
        }
    }
}
