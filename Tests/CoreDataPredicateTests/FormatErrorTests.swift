import Testing

@testable import CoreDataPredicate

struct BadFormat: CustomTestStringConvertible, Sendable {
    let format: String
    let column: Int
    let problem: String
    let advice: String

    init(_ format: String, _ column: Int, _ problem: String, _ advice: String) {
        self.format = format
        self.column = column
        self.problem = problem
        self.advice = advice
    }

    var testDescription: String { format }

    static let all: [BadFormat] = [
        BadFormat("", 1, "the format is empty", "write TRUEPREDICATE"),
        BadFormat("title LIEK 'x'", 7, "'LIEK' is not an operator", "write one of ==, !=, <, <="),
        BadFormat("isActive", 1, "'isActive' is a value, not a condition", "isActive == YES"),
        BadFormat(
            "a == ", 6, "expected a value and found the end of the format", "write a key path"),
        BadFormat("a == 'x", 6, "the text has no closing quote", "write ' at its end"),
        BadFormat("(a == 1", 8, "expected ')' and found the end", "close the parenthesis"),
        BadFormat("a == 1)", 7, "')' has no matching '('", "remove it"),
        BadFormat("1 < a < 3", 7, "'<' follows a finished comparison", "BETWEEN {low, high}"),
        BadFormat("a == 1 b == 2", 8, "'b' is not an operator", "write one of"),
        BadFormat("a == 1 'x'", 8, "''x'' follows a finished predicate", "AND or OR"),
        BadFormat("a == %@", 6, "argument 1, for %@, is missing", "0 were given"),
        BadFormat("a == %y", 6, "'%y' is not a specifier", "write %@ for a value"),
        BadFormat(
            "a == %%", 6, "a percent sign is not allowed outside quotes", "inside the quotes"),
        BadFormat(
            "a & b", 1, "'bitwiseAnd:with:(a, b)' is a value, not a condition", "compare it"),
        BadFormat("a == 1 | b == 2", 12, "'==' follows a finished comparison", "with AND"),
        BadFormat("a == 1;", 7, "';' has no meaning here", "without ';'"),
        BadFormat("a ==[x] 'b'", 6, "'x' is not an option", "write [c], [d], [cd], [n] or [l]"),
        BadFormat(
            "a NOT IN {1}", 3, "'NOT' is not allowed inside a comparison", "NOT (a IN {1, 2})"),
        BadFormat("a IS NULL", 3, "'IS' is not an operator", "write == NIL or != NIL"),
        BadFormat("a BETWEEN {1, 2, 3}", 11, "BETWEEN has 3 bounds instead of two", "{low, high}"),
        BadFormat("a BETWEEN 3", 11, "BETWEEN needs two bounds on its right", "{low, high}"),
        BadFormat("size > 3", 1, "'size' is a reserved word", "write #size if it is a key"),
        BadFormat("a.first == 1", 3, "'first' is a reserved word", "write #first if it is a key"),
        BadFormat("all == 1", 1, "'all' is a reserved word", "write #all if it is a key"),
        BadFormat("none.@count > 1", 1, "'none' is a reserved word", "write #none if it is a key"),
        BadFormat(
            "ANY a.b", 1, "ANY is not followed by a comparison", "write ANY items.price > 10"),
        BadFormat("a.@cuont > 1", 1, "'@cuont' is not a collection operator", "@count, @sum"),
        BadFormat("a.@sum > 1", 1, "'@sum' has no key", "write @sum.price or @sum.self"),
        BadFormat("a.@count.b > 1", 1, "a path continues after @count", "end the path with @count"),
        BadFormat("foo(a) > 1", 1, "'foo' is not a function", "write one of sum:"),
        BadFormat("add:to:(1) > 1", 1, "'add:to:' takes 2 arguments, not 1", "add:to:(a, b)"),
        BadFormat(
            "SUBQUERY(a, x, x > 1).@count > 0", 13, "the iterator of SUBQUERY is not a variable",
            "write SUBQUERY(items, $x, $x.price > 10)"),
        BadFormat("CAST(a, 'Date') > 1", 1, "'Date' is not a type for CAST", "'NSDate'"),
        BadFormat("FETCH(a, b) == 1", 1, "FETCH takes 3 arguments, not 2", "FETCH(%@, %@, NO)"),
        BadFormat("a.anykey == 1", 3, "'anykey' is a reserved word", "#anykey if it is a key"),
        BadFormat(
            "a UTI-EQUALS 'x'", 3, "'UTI-EQUALS' needs Apple's type database", "== or BEGINS"),
        BadFormat("a.. == 1", 3, "a key is missing after '.'", "author.name"),
        BadFormat("12abc == 1", 1, "'12abc' is neither a number nor a key", "starts with a letter"),
        BadFormat("0xZZ == a", 1, "'0xZZ' is not a number of base 16", "digits of base 16"),
        BadFormat("$ == 1", 1, "'$' without a name", "write $NAME"),
        BadFormat("a == '\\ud800'", 7, "the escape is not a character", "\\uhhhh"),
        BadFormat(
            "a == 1 AND", 11, "expected a value and found the end of the format", "write a key path"
        ),
        BadFormat("a == 1 AND b", 12, "'b' is a value, not a condition", "b == YES"),
        BadFormat("a + (b == 1) > 2", 5, "expected a value and found a condition", "TERNARY"),
        BadFormat("TERNARY(a, b, c) == 1", 9, "'a' is a value, not a condition", "a == YES"),
        BadFormat("{1, 2", 6, "expected '}' and found the end", "'}' at the end"),
        BadFormat("é == 'x' LIEK", 10, "'LIEK' is not an operator", "write one of"),
        BadFormat("* == 1", 1, "expected a value and found '*'", "write a key path"),
        BadFormat("add:to: == 1", 1, "'add:to:' is a function without arguments", "add:to:(a, b)"),
    ]
}

@Suite struct FormatErrorTests {
    @Test(arguments: BadFormat.all)
    func `a bad format is refused with its position, problem and remedy`(bad: BadFormat) {
        do {
            let predicate = try NSPredicate.parse(bad.format)
            Issue.record("parsed as \(predicate)")
        } catch {
            #expect(error.column == bad.column)
            #expect(error.problem == bad.problem)
            #expect(error.advice.contains(bad.advice))
        }
    }

    @Test(
        arguments: [
            ("a == %d", "x", "argument 1 for %d is of type String", "write %@"),
            ("a == %d", 1.5, "argument 1 for %d is of type Double", "write %f or %@"),
            ("a == %f", "x", "argument 1 for %f is of type String", "write %@"),
            ("%K == 1", 5, "argument 1 for %K is of type Int", "pass a key path as a String"),
            (
                "%K == 1", "a..b", "argument 1 for %K is 'a..b', which is not a key path",
                "single dots"
            ),
            ("%@", "x", "an argument cannot replace a whole predicate", "NSCompoundPredicate"),
            ("a %@ 1", "==", "'%@' follows a finished predicate", "AND or OR"),
        ] as [(String, any Sendable, String, String)])
    func `an argument of the wrong kind is refused`(
        format: String, argument: any Sendable, problem: String, advice: String
    ) {
        do {
            let predicate = try NSPredicate.parse(format, [argument])
            Issue.record("parsed as \(predicate)")
        } catch {
            #expect(error.problem == problem)
            #expect(error.advice.contains(advice))
        }
    }

    @Test(arguments: [
        String(repeating: "(", count: 100_000), String(repeating: "NOT ", count: 100_000),
        String(repeating: "!", count: 100_000), String(repeating: "-", count: 100_000),
        "a == " + String(repeating: "1 ** ", count: 100_000) + "1",
        "a == " + String(repeating: "1 + ", count: 100_000) + "1",
        "a == " + String(repeating: "1 * ", count: 100_000) + "1",
        "a" + String(repeating: "[0]", count: 100_000) + " == 1",
        String(repeating: "{", count: 100_000), String(repeating: "abs(", count: 100_000),
    ])
    func `input that is nested too deeply is refused and never exhausts the stack`(format: String) {
        #expect(throws: PredicateFormatError.self) { try NSPredicate.parse(format) }
    }

    @Test func `damaged formats never crash the parser`() {
        var random = SeededRandom(seed: 11)
        let formats =
            BadFormat.all.map(\.format) + [
                "SUBQUERY(a, $x, $x.b > 1).@count > %d AND c[FIRST] BETWEEN {1, 0x2}",
                "NOT d LIKE[cd] 'é' OR ANY $v[0].x IN {-1, '\\u00e9', f(x)}",
            ]
        var parsed = 0
        for _ in 0..<4000 {
            var bytes = Array(formats[random.below(formats.count)].utf8)
            for _ in 0...random.below(3) where !bytes.isEmpty {
                let place = random.below(bytes.count)
                switch random.below(3) {
                case 0: bytes[place] = UInt8(random.below(256))
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8(random.below(128)), at: place)
                }
            }
            let format = String(decoding: bytes, as: UTF8.self)
            if (try? NSPredicate.parse(format, [1, "x"])) != nil { parsed += 1 }
        }
        #expect(parsed > 50)
    }

    @Test func `the public initializer traps with the column and the remedy`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = NSPredicate(format: "title LIEK %@", "x")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("column 7: 'LIEK' is not an operator; write one of"))
    }
}
