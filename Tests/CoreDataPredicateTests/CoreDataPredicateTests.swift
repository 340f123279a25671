import Foundation
import Testing

@testable import CoreDataPredicate

@Suite struct SmokeTests {
    @Test(arguments: [
        "title CONTAINS[cd] \"x\"", "(a == 1 AND b != 2.5) OR NOT c IN {1, 2, 3}",
        "ANY movies.title LIKE \"a*\"", "tweets.@count > 5",
        "SUBQUERY(books, $x, $x.year > 2000 AND $x.title != nil).@count > 0",
        "a + b * 2 ** 3 - (4 - 5) > -1", "sum(a.b) < 3", "#first.#size == scores[FIRST]",
        "TERNARY(a > b, a, b) == CAST(5.0, \"NSDate\")", "SELF BETWEEN {1, 2}",
        "FUNCTION(now(), \"dateByAddingTimeInterval:\", -5) < d", "{1} UNION {2} CONTAINS $x",
    ])
    func `a predicate prints as it was written`(format: String) throws {
        #expect(try NSPredicate.parse(format).predicateFormat == format)
    }
}
