import Testing

@testable import CoreDataPredicate

/// A class that conforms to `KeyValueCodable`, as an app declares it.
final class Author: NSObject, KeyValueCodable {
    let name: String?
    let rating: Int16
    var books: [Book] = []

    init(_ name: String?, rating: Int16 = 0) {
        self.name = name
        self.rating = rating
    }

    func predicateValue(forKey key: String) throws(PredicateEvaluationError) -> Any? {
        switch key {
        case "name": return name
        case "rating": return rating
        case "books": return books
        default: throw PredicateEvaluationError("Author has no key '\(key)'; use name or rating")
        }
    }
}

/// A value type that conforms to `KeyValueCodable`.
struct Book: KeyValueCodable, OperandReadable {
    let title: String
    let year: Int
    let author: Author?

    func predicateOperand(forKey key: String) throws(PredicateEvaluationError) -> Operand {
        switch key {
        case "title": return .string(title)
        case "year": return .integer(Int64(year))
        default: return Operand(try predicateValue(forKey: key))
        }
    }

    func predicateValue(forKey key: String) throws(PredicateEvaluationError) -> Any? {
        switch key {
        case "title": return title
        case "year": return year
        case "author": return author
        default: throw PredicateEvaluationError("Book has no key '\(key)'; use title or year")
        }
    }
}

@Suite struct EvaluationTests {
    static var object: [String: Any] {
        [
            "i": 5, "d": 2.5, "s": "Hello", "e": "", "t": true, "f": false, "n": NSNull(),
            "date": Date(timeIntervalSinceReferenceDate: 100),
            "dec": Decimal(string: "1.10") as Any,
            "id": UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF") as Any,
            "url": URL(string: "https://example.org/a") as Any, "data": Data([1, 2]),
            "list": [3, 1, 2], "set": Set(["x", "y"]), "none": [Int](), "ns": NSNumber(value: 7),
            "big": Int64.max, "nan": Double.nan, "accent": "Élan", "nsset": NSSet(array: [1, 2]),
            "child": ["name": "Kid", "ages": [4, 8]] as [String: Any],
            "people": [["age": 10, "name": "A"], ["age": 20, "name": "B"], ["name": "C"]]
                as [[String: Any]],
        ]
    }

    @Test(arguments: [
        "i == 5", "i == 5.0", "i != 6", "i < 5.5", "i >= 5", "5 = i", "ns == 7", "t == YES",
        "t == 1", "f == 0", "f != TRUE", "d BETWEEN {2, 3}", "i IN {1, 5}", "s == 'Hello'",
        "s != 'hello'", "s ==[c] 'hELLO'", "s < 'Hellp'", "s BEGINSWITH 'He'", "s ENDSWITH 'lo'",
        "s CONTAINS 'ell'", "s CONTAINS[c] 'ELL'", "'ell' IN s", "'ELL' IN[c] s", "s LIKE 'H*o'",
        "s LIKE 'H?llo'", "NOT s LIKE 'H?lo'", "s LIKE[c] 'hell*'", "s MATCHES 'H[a-z]+'",
        "NOT s MATCHES 'H[a-z]'", "s MATCHES 'Hell|Hello'", "s MATCHES[c] 'hello'",
        "accent ==[cd] 'elan'", "accent ==[d] 'Elan'", "NOT accent ==[c] 'elan'",
        "accent BEGINSWITH[cd] 'el'", "accent CONTAINS[d] 'Ela'", "accent LIKE[cd] 'e*n'",
        "accent MATCHES[cd] 'el.n'", "accent IN[cd] {'elan'}", "s IN[c] {'HELLO'}",
        "date == CAST(100, 'NSDate')", "date > CAST(99, 'NSDate')", "CAST(date, 'NSNumber') == 100",
        "dec == 1.1", "dec + 1 == 2.1", "big == 9223372036854775807", "big < 9.3e18",
        "NOT nan == nan", "nan != nan", "NOT nan < 1", "list CONTAINS 3", "NOT list CONTAINS 4",
        "3 IN list", "set CONTAINS 'x'", "nsset CONTAINS 2", "list == {3, 1, 2}",
        "list != {1, 2, 3}",
        "list[0] == 3", "list[FIRST] == 3", "list[LAST] == 2", "list[SIZE] == 3", "list[9] == nil",
        "child['name'] == 'Kid'", "'Kid' IN child", "list.@count == 3", "list.@sum.self == 6",
        "list.@avg.self == 2", "list.@max.self == 3", "list.@min.self == 1", "#none.@count == 0",
        "#none.@sum.self == 0", "#none.@max.self == nil", "child.ages.@sum.self == 12",
        "people.@sum.age == 30", "people.@avg.age == 10", "people.@max.name == 'C'",
        "people.@unionOfObjects.age == {10, 20}", "people.age[0] == 10", "ANY people.age > 15",
        "ALL people.name != 'D'", "NONE people.age > 25", "NOT ALL people.age > 5",
        "SOME people.name ==[c] 'b'", "ANY people.name IN {'B', 'Z'}",
        "NOT ANY #none > 1 AND ALL #none > 1",
        "ANY people.age BETWEEN {15, 25}",
        "SUBQUERY(people, $p, $p.age > 5 AND $p.name != 'A').@count == 1",
        "SUBQUERY(list, $x, $x > 1).@max.self == 3",
        "SUBQUERY(people, $p, SUBQUERY(list, $x, $x * 10 == $p.age).@count > 0).@count == 2",
        "1 + 2 * 3 == 7", "7 / 2 == 3", "7.0 / 2 == 3.5", "2 ** 10 == 1024", "-i == -5",
        "i - 7 == -2",
        "modulus:by:(7, 3) == 1", "i / 0 == nil", "big + 1 > big - 1", "sum(list) == 6",
        "max(list) == 3", "min({4, 2}) == 2", "count(list) == 3", "average({1, 2}) == 1.5",
        "median({1, 9, 2}) == 2", "median({1, 2}) == 1.5", "mode({1, 2, 2}) == {2}",
        "stddev({2, 4, 4, 4, 5, 5, 7, 9}) == 2", "sqrt(9) == 3", "abs(-3) == 3", "floor(2.7) == 2",
        "ceiling(2.1) == 3", "trunc(-2.7) == -2", "log(100) == 2", "ln(1) == 0", "exp(0) == 1",
        "uppercase(s) == 'HELLO'", "lowercase(s) == 'hello'", "canonical(accent) == 'elan'",
        "length(s) == 5", "s.length == 5", "length:(e) == 0", "noindex(i) == 5",
        "bitwiseAnd:with:(6, 3) == 2", "bitwiseOr:with:(6, 3) == 7", "bitwiseXor:with:(6, 3) == 5",
        "(6 & 3) != 0", "6 & 3 == 2", "6 | 3 == 7", "6 ^ 3 == 5", "1 << 4 == 16", "i >> 1 == 2",
        "~0 == -1", "1 | 2 & 3 == 3", "i & ~4 == 1", "-1 & 1 + 2 == 3",
        "leftshift:by:(1, 4) == 16", "rightshift:by:(16, 4) == 1", "onesComplement(0) == -1",
        "random() < 1", "random(10) < 10", "now() > CAST(0, 'NSDate')", "first(list) == 3",
        "TERNARY(i > 3, 'big', 'small') == 'big'", "CAST('5', 'NSNumber') == i",
        "CAST(i, 'NSString') == '5'", "CAST(100, 'NSDate') == date",
        "FUNCTION(date, 'dateByAddingTimeInterval:', -50) == CAST(50, 'NSDate')",
        "FUNCTION(s, 'uppercaseString') == 'HELLO'", "FUNCTION(SELF, 'valueForKey:', 'i') == 5",
        "{1, 2} UNION {2, 3} CONTAINS 3", "sum({1, 2} INTERSECT {2, 3}) == 2",
        "sum({1, 2} MINUS {2, 3}) == 1", "($x := 4) + $x == 8", "date + 10 == CAST(110, 'NSDate')",
        "id == CAST('6F9619FF-8B86-D011-B42D-00C04FC964FF', 'NSUUID')",
        "url == CAST('https://example.org/a', 'NSURL')", "data == CAST('AQI=', 'NSData')",
        "url.host == 'example.org'", "SELF.i == 5", "self.child.name == 'Kid'", "TRUEPREDICATE",
        "NOT FALSEPREDICATE", "missing == nil",
    ])
    func `a true format evaluates to true`(format: String) throws {
        #expect(try NSPredicate.parse(format).evaluateCore(with: Self.object))
    }

    @Test(arguments: [
        ("n == nil", true), ("n != nil", false), ("i == nil", false), ("i != nil", true),
        ("n == 5", false), ("n != 5", true), ("n < 5", false), ("n > 5", false), ("n <= 5", false),
        ("n >= 5", false), ("n <= nil", false), ("nil == nil", true), ("n BETWEEN {1, 2}", false),
        ("n IN {1, 2}", false), ("i IN n", false), ("n CONTAINS 'x'", false),
        ("s CONTAINS n", false),
        ("n BEGINSWITH 'x'", false), ("s LIKE n", false), ("n MATCHES '.*'", false),
        ("e == nil", false),
        ("s CONTAINS ''", false), ("s BEGINSWITH ''", false), ("s ENDSWITH ''", false),
        ("e LIKE ''", true), ("e LIKE '*'", true), ("n.name == nil", true),
        ("n.name == 'x'", false),
        ("ANY n == 1", false), ("ALL n == 1", true), ("n + 1 == nil", true),
        ("length(n) == nil", true),
        ("ANY people.age == nil", true), ("n.@count == nil", true), ("sum(n) == 0", true),
    ])
    func `nil matches only a comparison with nil`(format: String, holds: Bool) throws {
        #expect(try NSPredicate.parse(format).evaluateCore(with: Self.object) == holds)
    }

    @Test(arguments: [
        ("i < 's'", "a number and a string have no order"),
        ("s CONTAINS 5", "Can't use in/contains"),
        ("5 CONTAINS i", "Can't use in/contains operator with a number"),
        ("i BEGINSWITH 'x'", "Can't do a substring operation with something that isn't a string"),
        ("ANY i == 5", "The left hand side for an ALL or ANY operator must be either an NSArray"),
        ("$x == 5", "Can't get value for '$x'"), ("s MATCHES '('", "Can't do regex matching"),
        ("s MATCHES 'a)(b'", "Can't do regex matching"),
        ("s + 1 == 2", "add:to: cannot take a string"),
        ("sqrt(s) == 1", "sqrt: needs a number"),
        ("lowercase(i) == 'x'", "lowercase: needs a string"),
        ("i.@count == 1", "@count needs a collection"),
        ("i.name == 1", "no value for the key 'name'"),
        ("sum(i) == 1", "sum: needs a collection"), ("s[0] == 'H'", "an index needs a list"),
        ("list['x'] == 1", "an index must be a whole number"),
        ("i BETWEEN list", "needs two bounds"),
        ("SUBQUERY(i, $x, $x > 1).@count == 1", "SUBQUERY needs a collection"),
        ("CAST(s, 'NSDate') == nil", "Don't know how to cast a string to NSDate"),
        ("FUNCTION(s, 'delete:', 1) == 1", "no method 'delete:'"), ("random(0) == 1", "positive"),
        ("bitwiseAnd:with:(1.5, 2) == 1", "needs whole numbers"),
        ("list UNION i == {1}", "UNION needs"),
        ("people.@max.self == 1", "have no smallest or largest"),
    ])
    func `a predicate without a result throws an error with the reason`(
        format: String, message: String
    ) throws {
        let predicate = try NSPredicate.parse(format)
        do {
            let answer = try predicate.evaluateCore(with: Self.object)
            Issue.record("answered \(answer)")
        } catch {
            #expect(error.message.contains(message), "\(error.message)")
        }
    }

    @Test func `objects are read through their keys and compared by identity`() throws {
        let first = Author("Ann", rating: 3)
        let second = Author(nil)
        first.books = [Book(title: "One", year: 2001, author: first)]
        let book = Book(title: "Two", year: 2010, author: second)
        #expect(try NSPredicate.parse("author == %@", [second]).evaluateCore(with: book))
        #expect(try !NSPredicate.parse("author == %@", [first]).evaluateCore(with: book))
        #expect(try NSPredicate.parse("author IN %@", [[first, second]]).evaluateCore(with: book))
        #expect(try NSPredicate.parse("author.name == nil").evaluateCore(with: book))
        #expect(try NSPredicate.parse("ANY books.title BEGINSWITH 'O'").evaluateCore(with: first))
        #expect(try NSPredicate.parse("SELF == %@", [first]).evaluateCore(with: first))
        #expect(throws: PredicateEvaluationError.self) {
            try NSPredicate.parse("author.age == 1").evaluateCore(with: book)
        }
    }

    @Test func `variables are bound at evaluation or before`() throws {
        let predicate = try NSPredicate.parse(
            "i == $number AND SUBQUERY(list, $x, $x > $x0).@count > 0")
        let variables: [String: Any] = ["number": 5, "x0": 2]
        #expect(try predicate.evaluateCore(with: Self.object, variables: variables))
        let bound = predicate.withSubstitutionVariables(variables)
        #expect(bound.predicateFormat == "i == 5 AND SUBQUERY(list, $x, $x > 2).@count > 0")
        #expect(bound.evaluate(with: Self.object))
        #expect(predicate.predicateFormat.contains("$number"))
    }

    @Test func `a subquery's own variable is not substituted`() throws {
        let predicate = try NSPredicate.parse("SUBQUERY(list, $x, $x > 1).@count == $x")
        let bound = predicate.withSubstitutionVariables(["x": 2])
        #expect(bound.predicateFormat == "SUBQUERY(list, $x, $x > 1).@count == 2")
        #expect(bound.evaluate(with: Self.object))
    }

    @Test func `mapping constants reaches the elements of collections`() throws {
        let predicate = try NSPredicate.parse("a == %@ AND b IN %@ AND c == 'x'", [1, [1, 2]])
        let mapped = predicate.mappingConstants { $0 as? Int == 1 ? "one" : $0 }
        #expect(mapped.predicateFormat == "a == \"one\" AND b IN {\"one\", 2} AND c == \"x\"")
    }

    @Test func `blocks receive the object and the variables`() {
        let predicate = NSPredicate { object, variables in
            object as? Int == 4 && variables?["y"] as? Int == 2
        }
        #expect(predicate.evaluate(with: 4, substitutionVariables: ["y": 2]))
        #expect(!predicate.evaluate(with: 4))
        let expression = NSExpression(
            block: { object, arguments, _ in (object as? Int ?? 0) + arguments.count },
            arguments: [NSExpression(forConstantValue: 1)])
        #expect(expression.expressionValue(with: 4, context: nil) as? Int == 5)
    }

    @Test func `expressions return values of the usual Swift types`() {
        let object = Self.object
        #expect(
            NSExpression(format: "i * 2").expressionValue(with: object, context: nil) as? Int == 10)
        #expect(
            NSExpression(forKeyPath: "t").expressionValue(with: object, context: nil) as? Bool
                == true)
        #expect(NSExpression(format: "n").expressionValue(with: object, context: nil) == nil)
        let sum = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "list")])
        #expect(sum.expressionValue(with: object, context: nil) as? Int == 6)
        let variable = NSExpression(forVariable: "v")
        #expect(variable.expressionValue(with: nil, context: ["v": "x"]) as? String == "x")
    }

    @Test func `a large constant collection finds numbers of every width and objects`() throws {
        let authors = (0..<50).map { _ in Author("x") }
        let predicate = try NSPredicate.parse("SELF IN %@", [authors])
        #expect(try predicate.evaluateCore(with: authors[30]))
        #expect(try !predicate.evaluateCore(with: Author("x")))
        let numbers = try NSPredicate.parse("SELF IN %@", [Set(0..<50)])
        #expect(try numbers.evaluateCore(with: 30.0))
        #expect(try numbers.evaluateCore(with: Int16(3)))
        #expect(try !numbers.evaluateCore(with: 30.5))
        #expect(try !numbers.evaluateCore(with: nil))
    }

    @Test func `a comparison may name a method`() {
        let predicate = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "s"),
            rightExpression: NSExpression(forConstantValue: "He"), customSelector: "hasPrefix:")
        #expect(predicate.evaluate(with: Self.object))
    }

    @Test func `the public evaluation traps with the reason`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = NSPredicate(format: "a.b == $x").evaluate(with: ["a": 1])
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("no value for the key 'b'"))
    }
}
