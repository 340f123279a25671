import Testing

@testable import CoreDataPredicate

@Suite struct FormatParserTests {
    @Test(arguments: [
        ("a = 1", "a == 1"), ("a == 1", "a == 1"), ("a != 1", "a != 1"), ("a <> 1", "a != 1"),
        ("a < 1", "a < 1"), ("a <= 1", "a <= 1"), ("a =< 1", "a <= 1"), ("a > 1", "a > 1"),
        ("a >= 1", "a >= 1"), ("a => 1", "a >= 1"), ("a between {1, 2}", "a BETWEEN {1, 2}"),
        ("a in {1, 2}", "a IN {1, 2}"), ("a beginswith 'x'", "a BEGINSWITH \"x\""),
        ("a endsWith[c] 'x'", "a ENDSWITH[c] \"x\""),
        ("a contains[cd] 'x'", "a CONTAINS[cd] \"x\""),
        ("a like 'x*'", "a LIKE \"x*\""), ("a matches[dc] '.*'", "a MATCHES[cd] \".*\""),
        ("a ==[n] 'x'", "a ==[n] \"x\""), ("a <[l] 'x'", "a <[l] \"x\""),
        ("a==1", "a == 1"), ("a  ==\t1\n", "a == 1"),
    ])
    func `every comparison operator has its spellings`(format: String, printed: String) throws {
        #expect(try NSPredicate.parse(format).predicateFormat == printed)
    }

    @Test(arguments: [
        ("a == 1 and b == 2", "a == 1 AND b == 2"), ("a == 1 && b == 2", "a == 1 AND b == 2"),
        ("a == 1 || b == 2", "a == 1 OR b == 2"), ("not a == 1", "NOT a == 1"),
        ("!(a == 1)", "NOT a == 1"), ("! a == 1", "NOT a == 1"),
        ("a == 1 or b == 2 and c == 3", "a == 1 OR (b == 2 AND c == 3)"),
        ("not a == 1 and b == 2", "NOT a == 1 AND b == 2"),
        ("not (a == 1 and b == 2)", "NOT (a == 1 AND b == 2)"),
        ("(a == 1 AND b == 2) AND c == 3", "(a == 1 AND b == 2) AND c == 3"),
        ("((a == 1))", "a == 1"), ("TRUEPREDICATE", "TRUEPREDICATE"),
        ("falsepredicate OR a == 1", "FALSEPREDICATE OR a == 1"),
        ("NONE a.b == 1", "NOT ANY a.b == 1"), ("SOME a.b == 1", "ANY a.b == 1"),
        ("ALL a.b > 1", "ALL a.b > 1"), ("any a.b in {1}", "ANY a.b IN {1}"),
    ])
    func `compounds group as NOT before AND before OR`(format: String, printed: String) throws {
        #expect(try NSPredicate.parse(format).predicateFormat == printed)
    }

    @Test(arguments: [
        ("12", "12"), ("0x1F", "31"), ("0o17", "15"), ("0b101", "5"), ("1.5", "1.5"),
        ("1e3", "1000.0"), ("2.5E-1", "0.25"), (".5 + a", "0.5 + a"), ("-3", "-3"),
        ("-9223372036854775808", "-9223372036854775808"), ("'a'", "\"a\""),
        ("\"it's\"", "\"it's\""),
        ("'\\x41\\u00e9\\101\\n'", "\"A\u{e9}A\\n\""), ("'\\ud83d\\ude00'", "\"\u{1F600}\""),
        ("'%@ is %K'", "\"%@ is %K\""), ("'a\\'b'", "\"a'b\""), ("nil", "nil"), ("NULL", "nil"),
        ("true", "1"), ("NO", "0"), ("self", "SELF"), ("{}", "{}"),
        ("{1, 'a', b}", "{1, \"a\", b}"),
        ("$x", "$x"), ("$x.name", "$x.name"), ("self.name", "name"), ("#in.#size", "#in.#size"),
        ("a.b.@count", "a.b.@count"), ("@sum.self", "@sum.self"), ("a.@avg.b.c", "a.@avg.b.c"),
        ("a[0]", "a[0]"), ("a.b[LAST].c", "a.b[LAST].c"), ("a[size]", "a[SIZE]"),
        ("a['k']", "a[\"k\"]"), ("é.ß", "é.ß"),
    ])
    func `values are literals, paths and indexes`(format: String, printed: String) throws {
        #expect(try NSExpression.parse(format).description == printed)
    }

    @Test(arguments: [
        ("1 + 2 * 3", "1 + 2 * 3"), ("(1 + 2) * 3", "(1 + 2) * 3"), ("1 - 2 - 3", "1 - 2 - 3"),
        ("1 - (2 - 3)", "1 - (2 - 3)"), ("a / b / c", "a / b / c"), ("2 ** 3 ** 4", "2 ** 3 ** 4"),
        ("(2 ** 3) ** 4", "(2 ** 3) ** 4"), ("-a", "0 - a"), ("2 - -1", "2 - -1"),
        ("(-2) ** 2", "(-2) ** 2"), ("add:to:(a, 1)", "a + 1"), ("sum(a.b)", "sum(a.b)"),
        ("sum(1, 2)", "sum({1, 2})"), ("max:({1, 2})", "max({1, 2})"), ("now()", "now()"),
        ("lowercase(a)", "lowercase(a)"), ("modulus:by:(a, 2)", "modulus:by:(a, 2)"),
        ("noindex:(a)", "noindex(a)"), ("indexed:by:(a, 'i')", "indexed:by:(a, \"i\")"),
        ("a | b ^ c", "bitwiseOr:with:(a, bitwiseXor:with:(b, c))"),
        ("a & 1 << 2 + 3", "bitwiseAnd:with:(a, leftshift:by:(1, 2 + 3))"),
        ("(a | 1) & ~b", "bitwiseAnd:with:(bitwiseOr:with:(a, 1), onesComplement(b))"),
        ("a >> 1 >> 2", "rightshift:by:(rightshift:by:(a, 1), 2)"),
        ("random()", "random()"), ("bitwiseAnd:with:(a, 1)", "bitwiseAnd:with:(a, 1)"),
        ("cast(a, 'NSNumber')", "CAST(a, \"NSNumber\")"), ("{1} union {2}", "{1} UNION {2}"),
        ("a minus b intersect c", "a MINUS b INTERSECT c"), ("($x := 1 + a)", "($x := 1 + a)"),
        ("ternary(a == 1, b, c)", "TERNARY(a == 1, b, c)"),
        ("subquery(a, $x, $x.b > 1).@count", "SUBQUERY(a, $x, $x.b > 1).@count"),
        ("FUNCTION(a, 'length')", "FUNCTION(a, \"length\")"), ("length(a)", "length(a)"),
        ("CAST(5, 'NSDate')", "CAST(5.0, \"NSDate\")"),
    ])
    func `a function and its operator are the same expression`(format: String, printed: String)
        throws
    {
        #expect(try NSExpression.parse(format).description == printed)
    }

    @Test func `the smallest integer can be negated, as an argument too`() throws {
        for format in ["n == -%@", "n == - %ld"] {
            let predicate = NSPredicate(format: format, argumentArray: [NSNumber(value: Int.min)])
            let number = "CAST(\"9223372036854775808\", \"NSDecimalNumber\")"
            #expect(predicate.predicateFormat == "n == \(number)")
            #expect(!predicate.evaluate(with: ["n": 1]))
        }
    }

    @Test func `a cast to an unknown type is printed unchanged`() throws {
        let text = "castObject:toType:(name, \"Thing\") == 1"
        #expect(try NSPredicate.parse(text).predicateFormat == text)
        #expect(
            try NSPredicate.parse("castObject:toType:(name, \"NSNumber\") == 1").predicateFormat
                == "CAST(name, \"NSNumber\") == 1")
    }

    @Test func `arguments replace values, paths and numbers`() throws {
        let predicate = try NSPredicate.parse(
            "%K == %@ AND %K.@count > %d AND b < %f AND c == %lu AND d == %hd AND e == %@",
            ["a.x", "it's", "list", 3, 2.5, UInt64.max, Int16(4), nil])
        #expect(
            predicate.predicateFormat
                == "a.x == \"it's\" AND list.@count > 3 AND b < 2.5 AND c == "
                + "CAST(\"18446744073709551615\", \"NSDecimalNumber\") AND d == 4 AND e == nil")
    }

    @Test func `a parsed predicate has the class of its shape`() throws {
        let comparison = NSPredicate(format: "a == 1") as? NSComparisonPredicate
        #expect(comparison?.predicateOperatorType == .equalTo)
        #expect(comparison?.leftExpression.keyPath == "a")
        #expect(comparison?.rightExpression.constantValue as? Int == 1)
        let compound = NSPredicate(format: "a == 1 OR b == 2 OR c == 3") as? NSCompoundPredicate
        #expect(compound?.compoundPredicateType == .or)
        #expect(compound?.subpredicates.count == 3)
    }

    @Test func `a format accepts every usual type of argument`() {
        let object = NSObject()
        let missing: String? = nil
        let date = Date(timeIntervalSinceReferenceDate: 7)
        #expect(NSPredicate(format: "a contains %@", "x").predicateFormat == "a CONTAINS \"x\"")
        #expect(
            NSPredicate(format: "a > %@ AND b = %d", date, 3).predicateFormat
                == "a > CAST(7.0, \"NSDate\") AND b == 3")
        #expect(
            NSPredicate(format: "a IN %@", ["x", "y"]).predicateFormat == "a IN {\"x\", \"y\"}")
        #expect(NSPredicate(format: "a IN %@", Set([3, 1, 2])).predicateFormat == "a IN {1, 2, 3}")
        #expect(NSPredicate(format: "a = %@", missing).predicateFormat == "a == nil")
        #expect(NSPredicate(format: "a = %@", NSNull()).predicateFormat == "a == nil")
        #expect(NSPredicate(format: "a = %@", NSNumber(value: 2.5)).predicateFormat == "a == 2.5")
        #expect(NSPredicate(format: "%K = %ld", "a.b", 5).predicateFormat == "a.b == 5")
        #expect(
            NSPredicate(format: "a = %@ AND b = %@", true, Int16(2)).predicateFormat
                == "a == 1 AND b == 2")
        #expect(NSPredicate(format: "a == 1").predicateFormat == "a == 1")
        let same = NSPredicate(format: "self == %@", object) as? NSComparisonPredicate
        #expect(same?.rightExpression.constantValue as? NSObject === object)
        let array = NSPredicate(format: "a = %@ OR a = %i", argumentArray: ["x", 2])
        #expect(array.predicateFormat == "a == \"x\" OR a == 2")
        #expect(NSExpression(format: "a + %d", 2).description == "a + 2")
    }

    @Test func `an expression as an argument is inserted unchanged`() throws {
        let expression = NSExpression(forKeyPath: "author.name")
        let predicate = try NSPredicate.parse("%@ == %@", [expression, "x"])
        #expect(predicate.predicateFormat == "author.name == \"x\"")
    }

    @Test func `a tree has nodes for its parts`() throws {
        let predicate = try NSPredicate.parse("SUBQUERY(books, $b, $b.year > 1).@count == 2")
        guard case .comparison(let comparison) = predicate.node,
            case .path(let base, ["@count"]) = comparison.left.node,
            case .subquery(let collection, "b", let inner) = base.node
        else {
            Issue.record("unexpected shape")
            return
        }
        #expect(collection.keyPath == "books")
        #expect(inner.predicateFormat == "$b.year > 1")
        #expect(comparison.left.expressionType == .function)
        #expect(base.expressionType == .subquery)
    }

    @Test func `a predicate lists the key paths that it reads`() throws {
        let predicate = try NSPredicate.parse(
            "a.b == 1 AND a.b < c AND SUBQUERY(d.e, $x, $x.f == g).@count > 0 AND SELF IN h[0]")
        #expect(
            predicate.keyPaths == [["a", "b"], ["c"], ["d", "e"], ["d", "e", "f"], ["g"], ["h"]])
    }
}
