import LabBench
import Testing

@Suite struct CountExpressionTests {
    let numbers = ["authors": 1_000, "books": 100, "batch": 300]

    private func value(_ text: String) throws -> Int {
        try CountExpression(text, names: Set(numbers.keys)).value(numbers)
    }

    @Test(arguments: [
        ("1", 1), ("1_000", 1_000), ("authors + 1", 1_001), ("2 + 3 * 4", 14), ("(2 + 3) * 4", 20),
        ("ceil(authors * books / batch) + 1", 335), ("10 - 2 - 3", 5), ("books / 4", 25),
        ("ceil(7/2)", 4), ("ceil ( 6 / 2 )", 3),
    ])
    func `an expression has its arithmetic value`(
        text: String, expected: Int
    ) throws {
        #expect(try value(text) == expected)
    }

    @Test(arguments: [
        ("", 0), ("1 +", 3), ("pages", 0), ("1 2", 2), ("ceil 3", 5), ("(1", 2), ("1 + )", 4),
        ("authors * boks", 10), ("1 % 2", 2), ("é", 0), (String(repeating: "(", count: 99), 50),
    ])
    func `a text that is not an expression is refused with its position`(text: String, offset: Int)
    {
        let problem = #expect(throws: CountExpression.Problem.self) { try value(text) }
        #expect(problem?.offset == offset)
    }

    @Test func `a division with a remainder is not a count`() {
        let problem = #expect(throws: CountExpression.Problem.self) { try value("books / 3") }
        #expect(problem?.remedy == "write ceil(…) around a division")
        #expect(throws: CountExpression.Problem.self) { try value("books / 0") }
    }
}
