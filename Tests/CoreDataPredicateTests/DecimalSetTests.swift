import Foundation
import Testing

@testable import CoreDataPredicate

/// Foundation on Linux cannot hash a decimal number, so a returned set must not contain any.
struct DecimalSetTests {
    @Test(arguments: [
        "{1} UNION {9223372036854775808}", "price UNION {1}",
        "{9223372036854775808, 1} INTERSECT {9223372036854775808, 1}",
        "{9223372036854775808, 1, 2} MINUS {2}",
    ])
    func `a set with a decimal number is returned as a list`(format: String) throws {
        let object = ["price": [NSDecimalNumber(string: "12.5")]]
        let value = try NSExpression.parse(format).valueCore(with: object)
        #expect((value as? [Any])?.count == 2)
    }

    @Test func `a set of other values is returned as a set`() throws {
        let value = try NSExpression.parse("{1} UNION {2}").valueCore(with: nil)
        #expect(value is NSSet)
    }

    @Test func `distinct decimal numbers of objects are found`() throws {
        let price = NSDecimalNumber(string: "12.5")
        let objects = ["items": [["price": price], ["price": price]]]
        let distinct = try NSExpression.parse("items.@distinctUnionOfObjects.price")
        #expect(try (distinct.valueCore(with: objects) as? [Any])?.count == 1)
    }
}
