import CoreDataModel

/// Determines the Swift type of each property, by Xcode's rules.
enum SwiftTypes {
    static func type(of attribute: NSAttributeDescription) -> String {
        if attribute.generation.usesScalarType, let scalar = scalar(attribute.attributeType) {
            return scalar
        }
        return object(attribute) + "?"
    }

    private static func scalar(_ type: NSAttributeType) -> String? {
        switch type {
        case .integer16AttributeType: "Int16"
        case .integer32AttributeType: "Int32"
        case .integer64AttributeType: "Int64"
        case .doubleAttributeType: "Double"
        case .floatAttributeType: "Float"
        case .booleanAttributeType: "Bool"
        case .dateAttributeType: "TimeInterval"
        case .decimalAttributeType, .stringAttributeType, .binaryDataAttributeType,
            .UUIDAttributeType, .URIAttributeType, .transformableAttributeType,
            .objectIDAttributeType, .compositeAttributeType, .undefinedAttributeType:
            nil
        }
    }

    private static func object(_ attribute: NSAttributeDescription) -> String {
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
            .doubleAttributeType, .floatAttributeType, .booleanAttributeType:
            "NSNumber"
        case .decimalAttributeType: "NSDecimalNumber"
        case .stringAttributeType: "String"
        case .dateAttributeType: "Date"
        case .binaryDataAttributeType: "Data"
        case .UUIDAttributeType: "UUID"
        case .URIAttributeType: "URL"
        case .objectIDAttributeType: "NSManagedObjectID"
        case .compositeAttributeType: "[String: Any]"
        case .transformableAttributeType, .undefinedAttributeType:
            attribute.generation.customClassName.map(plain) ?? "NSObject"
        }
    }

    static func plain(_ name: String) -> String {
        name.split(separator: ".").last.map(String.init) ?? name
    }
}
