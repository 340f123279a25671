import Foundation

/// A Swift type whose values convert to an `Operand`.
protocol PlainValue {
    var operand: Operand { get }
}

extension Operand: PlainValue { var operand: Operand { self } }
extension String: PlainValue { var operand: Operand { .string(self) } }
extension Substring: PlainValue { var operand: Operand { .string(String(self)) } }
extension Bool: PlainValue { var operand: Operand { .integer(self ? 1 : 0) } }
extension Int: PlainValue { var operand: Operand { .integer(Int64(self)) } }
extension Int64: PlainValue { var operand: Operand { .integer(self) } }
extension Int32: PlainValue { var operand: Operand { .integer(Int64(self)) } }
extension Int16: PlainValue { var operand: Operand { .integer(Int64(self)) } }
extension Int8: PlainValue { var operand: Operand { .integer(Int64(self)) } }
extension Double: PlainValue { var operand: Operand { .double(self) } }
extension Float: PlainValue { var operand: Operand { .double(Double(self)) } }
extension Decimal: PlainValue { var operand: Operand { .decimal(self) } }
extension Date: PlainValue { var operand: Operand { .date(timeIntervalSinceReferenceDate) } }
extension Data: PlainValue { var operand: Operand { .data(self) } }
extension UUID: PlainValue { var operand: Operand { .uuid(self) } }
extension URL: PlainValue { var operand: Operand { .url(self) } }
