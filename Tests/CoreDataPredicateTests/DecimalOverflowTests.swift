import Foundation
import Testing

@testable import CoreDataPredicate

@Suite struct DecimalOverflowTests {
    @Test(arguments: ["+", "-", "*", "/"])
    func `a result that no decimal can express is nil, and ends no process`(sign: String) {
        let large = NSDecimalNumber(decimal: Decimal(sign: .plus, exponent: 100, significand: 1))
        let small = NSDecimalNumber(decimal: Decimal(sign: .plus, exponent: -100, significand: 1))
        let predicate = CoreDataPredicate.NSPredicate(format: "(a \(sign) b) == nil")
        let isBeyond = sign == "*" || sign == "/"
        let other = sign == "/" ? small : large
        #expect(predicate.evaluate(with: ["a": large, "b": other]) == isBeyond)
    }
}
