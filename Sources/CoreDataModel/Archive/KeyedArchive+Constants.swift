import Foundation

// Writes default values and user info as Foundation's archiver would.

extension KeyedArchive {
    /// Writes a constant. Numbers, strings and data are written directly, other constants as
    /// objects.
    mutating func add(_ constant: AttributeConstant) -> ArchiveValue {
        switch constant {
        case .integer(let number): add(ArchiveValue.integer(number))
        case .boolean(let flag): add(ArchiveValue.boolean(flag))
        case .double(let number): add(ArchiveValue.real(number))
        case .string(let text): string(text)
        case .data(let data): add(ArchiveValue.data(data))
        case .date(let date):
            add(
                ["NSDate", "NSObject"],
                [("NS.time", .real(date.timeIntervalSinceReferenceDate))])
        case .uuid(let uuid):
            withUnsafeBytes(of: uuid.uuid) { bytes in
                add(["NSUUID", "NSObject"], [("NS.uuidbytes", .data(Data(bytes)))])
            }
        case .uri(let url):
            add(
                ["NSURL", "NSObject"],
                [("NS.base", KeyedArchive.null), ("NS.relative", string(url.absoluteString))])
        case .decimal(let number): decimal(number)
        }
    }

    /// Writes a decimal number: its significand, in 16 bytes with the least significant byte first,
    /// and its decimal exponent.
    private mutating func decimal(_ number: Decimal) -> ArchiveValue {
        let digits = NSDecimalNumber(decimal: number.significand).stringValue
        var rest = UInt128(digits) ?? 0
        let length = (128 - rest.leadingZeroBitCount + 15) / 16
        var bytes = Data()
        for _ in 0..<16 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
        return add(
            ["NSDecimalNumber", "NSNumber", "NSValue", "NSObject"],
            [
                ("NS.exponent", .integer(Int64(number.exponent))),
                ("NS.length", .integer(Int64(length))),
                ("NS.negative", .boolean(number.sign == .minus)),
                ("NS.compact", .boolean(true)),
                ("NS.mantissa.bo", .integer(1)),
                ("NS.mantissa", .data(bytes)),
            ])
    }
}

extension AttributeConstant {
    /// The constant for a value of user info. Nil if the value's type is not a plain type.
    init?(plainValue value: Any) {
        let types: [NSAttributeType] = [
            .stringAttributeType, .dateAttributeType, .binaryDataAttributeType,
            .integer64AttributeType, .doubleAttributeType, .UUIDAttributeType, .URIAttributeType,
        ]
        let isDecimal = value is NSDecimalNumber || value is Decimal
        for type in isDecimal ? [.decimalAttributeType] : types {
            guard let constant = AttributeConstant(value, as: type) else { continue }
            self = constant
            return
        }
        return nil
    }
}

extension NSManagedObjectModel {
    /// The model as the content of `Z_MODELCACHE`: raw DEFLATE of a keyed archive.
    ///
    /// Takes time and memory in proportion to the number of properties; called once for a new
    /// store.
    package func cachedModelData() -> Data { Deflate.stored(compiledData()) }

    package func compiledData() -> Data { ModelArchiver.archive(self) }
}
