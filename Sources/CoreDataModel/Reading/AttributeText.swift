import Foundation

/// Converts the text of an attribute value in a model file, such as a default value or a limit, to
/// a value of the attribute's type.
struct AttributeText {
    let type: NSAttributeType

    init(_ type: NSAttributeType) { self.type = type }

    enum Bound { case minimum, maximum }

    static let bounds: [(String, Bound)] = [
        ("minValueString", .minimum), ("maxValueString", .maximum),
        ("minDateTimeInterval", .minimum), ("maxDateTimeInterval", .maximum),
    ]

    /// Whether values of the type have an order, or a length, that can be limited.
    private var hasLimits: Bool {
        switch type {
        case .stringAttributeType, .dateAttributeType, .booleanAttributeType: true
        default: isNumber
        }
    }

    private var isNumber: Bool {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
            .doubleAttributeType, .floatAttributeType, .decimalAttributeType:
            true
        default: false
        }
    }

    /// Whether an XML attribute applies to attributes of this type. Xcode keeps the XML attributes
    /// of an attribute's former type. They are ignored, and are not errors.
    func takes(_ key: String, _ text: String) -> Bool {
        switch key {
        case "defaultDateTimeInterval", "minDateTimeInterval", "maxDateTimeInterval":
            type == .dateAttributeType
        case "defaultValueString":
            isNumber || type == .booleanAttributeType || value(text) != nil
        case "regularExpressionString": type == .stringAttributeType
        default: hasLimits && (type != .dateAttributeType || limit(text) != nil)
        }
    }

    func value(_ text: String) -> Any? {
        switch type {
        case .integer16AttributeType:
            Self.integer(text).flatMap(Int16.init(exactly:)).map { NSNumber(value: $0) }
        case .integer32AttributeType:
            Self.integer(text).flatMap(Int32.init(exactly:)).map { NSNumber(value: $0) }
        case .integer64AttributeType: Self.integer(text).map { NSNumber(value: $0) }
        case .doubleAttributeType: Self.number(text).map { NSNumber(value: $0) }
        case .floatAttributeType: Self.number(text).map { NSNumber(value: Float($0)) }
        case .booleanAttributeType: Self.boolean(text).map { NSNumber(value: $0) }
        case .decimalAttributeType: Self.decimal(text).map { NSDecimalNumber(decimal: $0) }
        case .dateAttributeType: Double(text).map(Date.init(timeIntervalSinceReferenceDate:))
        case .stringAttributeType: text
        case .URIAttributeType: URL(string: text)
        case .UUIDAttributeType: UUID(uuidString: text)
        case .binaryDataAttributeType: Data(base64Encoded: text)
        case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType,
            .compositeAttributeType:
            nil
        }
    }

    /// The limit that a text represents: a limit of the value, or of the length of a string.
    func limit(_ text: String) -> Any? {
        switch type {
        case .stringAttributeType: Int(text).flatMap { $0 < 0 ? nil : NSNumber(value: $0) }
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
            .doubleAttributeType, .floatAttributeType, .decimalAttributeType, .dateAttributeType:
            value(text)
        // Xcode 4 wrote limits of Boolean attributes.
        case .booleanAttributeType: Self.boolean(text).map { NSNumber(value: $0 ? 1 : 0) }
        default: nil
        }
    }

    var expected: String {
        switch type {
        case .booleanAttributeType: "YES or NO"
        case .dateAttributeType: "seconds since 2001-01-01 00:00 UTC"
        case .decimalAttributeType, .doubleAttributeType, .floatAttributeType: "a number"
        case .URIAttributeType: "a URL"
        case .UUIDAttributeType: "a UUID"
        case .binaryDataAttributeType: "base64"
        default: type.expectedValue
        }
    }

    var expectedLimit: String {
        switch type {
        case .stringAttributeType: "a length from 0"
        case .UUIDAttributeType, .URIAttributeType, .binaryDataAttributeType:
            "no limit for this type"
        default: expected
        }
    }

    // Xcode keeps the default value when the type of an attribute changes. So models contain
    // Boolean defaults of numbers, and numeric defaults of Boolean attributes.

    private static func truth(_ text: String) -> Bool? {
        switch text.uppercased() {
        case "YES", "TRUE": true
        case "NO", "FALSE": false
        default: nil
        }
    }

    private static func number(_ text: String) -> Double? {
        let text = text.trimmingCharacters(in: .whitespaces)
        return truth(text).map { $0 ? 1 : 0 } ?? Double(text)
    }

    private static func integer(_ text: String) -> Int64? {
        let text = text.trimmingCharacters(in: .whitespaces)
        return Int64(text) ?? number(text).flatMap { Int64(exactly: $0) }
    }

    private static func boolean(_ text: String) -> Bool? {
        number(text).flatMap { $0 == 0 ? false : $0 == 1 ? true : nil }
    }

    /// Rejects a text that only begins with a number, which `Decimal(string:)` accepts.
    private static func decimal(_ text: String) -> Decimal? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let truth = truth(text) { return truth ? 1 : 0 }
        guard Double(text)?.isFinite == true else { return nil }
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }
}
