import CoreDataTrace
import Foundation

// Reads the attributes of a model file: type, default value and rules.

extension ModelAssembler {
    func attribute(
        _ element: XMLElement, entity: String?, name: String
    ) -> NSAttributeDescription {
        let type = type(of: element, entity: entity, name: name)
        let attribute = newAttribute(element, type, entity: entity, name: name)
        attribute.attributeType = type ?? .undefinedAttributeType
        attribute.valueTransformerName = element["valueTransformerName"]
        attribute.allowsExternalBinaryDataStorage = flag(
            element, "allowsExternalBinaryDataStorage", entity: entity, property: name)
        attribute.generation.usesScalarType = flag(
            element, "usesScalarValueType", entity: entity, property: name)
        attribute.generation.customClassName = element["customClassName"]
        attribute.preservesValueInHistoryOnDeletion = flag(
            element, "preserveAfterDeletion", entity: entity, property: name)
        attribute.allowsCloudEncryption = flag(
            element, "allowsCloudEncryption", entity: entity, property: name)
        guard let type else { return attribute }
        let text = AttributeText(type)
        attribute.defaultValue = value(element, text, entity: entity, name: name)
        let rules = validationRules(element, text, entity: entity, name: name)
        attribute.setValidationPredicates(
            rules.map(\.predicate), withValidationWarnings: rules.map(\.warning))
        return attribute
    }

    private func newAttribute(
        _ element: XMLElement, _ type: NSAttributeType?, entity: String?, name: String
    ) -> NSAttributeDescription {
        if type == .compositeAttributeType {
            return composite(element, entity: entity, name: name)
        }
        guard flag(element, "derived", entity: entity, property: name) else {
            return NSAttributeDescription()
        }
        let derived = NSDerivedAttributeDescription()
        guard let text = element["derivationExpression"], !text.isEmpty else {
            report(
                .badValue, element, entity: entity, property: name,
                "the derived attribute has no expression; write derivationExpression=\"…\".")
            return derived
        }
        switch FormatText.expression(text) {
        case .success(let expression): derived.derivationExpression = expression
        case .failure(let error):
            report(
                .badValue, element, "derivationExpression", entity: entity, property: name,
                "\"\(text)\" is not an expression: \(error).")
        }
        return derived
    }

    private func type(
        of element: XMLElement, entity: String?, name: String
    ) -> NSAttributeType? {
        guard let text = element["attributeType"], !text.isEmpty, text != "Undefined" else {
            if flag(element, "transient", entity: entity, property: name) { return nil }
            report(
                .missingType, element,
                element["attributeType"].map { _ in "attributeType" }, entity: entity,
                property: name,
                "the attribute has no type; write attributeType with one of "
                    + Self.typeNames + ", or transient=\"YES\".")
            return nil
        }
        guard let type = NSAttributeType(modelFileName: text) else {
            report(
                .unknownType, element, "attributeType", entity: entity, property: name,
                "the attribute type \"\(text)\" is unknown; write one of \(Self.typeNames).")
            return nil
        }
        return type
    }

    private static let typeNames = NSAttributeType.modelFileTypes
        .map { "\"\($0.modelFileName)\"" }.joined(separator: ", ")

    private func composite(
        _ element: XMLElement, entity: String?, name: String
    ) -> NSCompositeAttributeDescription {
        let attribute = NSCompositeAttributeDescription()
        let typeName = element["composite"] ?? ""
        guard let type = composite(named: typeName) else {
            report(
                .unknownType, element, "composite", entity: entity, property: name,
                "the composite type \"\(typeName)\" is unknown; \(known(compositeNames)).")
            return attribute
        }
        guard !openComposites.contains(typeName) else {
            report(
                .badValue, element, "composite", entity: entity, property: name,
                "the composite type \"\(typeName)\" contains itself; "
                    + "use another type.")
            return attribute
        }
        openComposites.append(typeName)
        defer { openComposites.removeLast() }
        attribute.elements = type.children("attribute").compactMap { child in
            guard let childName = requiredName(of: child, "an element", entity: entity) else {
                return nil
            }
            let part = self.attribute(child, entity: nil, name: childName)
            part.name = childName
            part.isOptional = flag(child, "optional")
            return part
        }
        return attribute
    }

    private func value(
        _ element: XMLElement, _ text: AttributeText, entity: String?, name: String
    ) -> Any? {
        for key in ["defaultValueString", "defaultDateTimeInterval"] {
            guard let string = element[key] else { continue }
            if string.isEmpty, text.type != .stringAttributeType { continue }
            guard applies(key, string, text, entity, name) else { continue }
            if let value = text.value(string) { return value }
            report(
                .badDefaultValue, element, key, entity: entity, property: name,
                "\(key) \"\(string)\" does not fit the type \(text.type.modelFileName); "
                    + "write \(text.expected).")
        }
        return nil
    }

    /// Whether an XML attribute applies to attributes of this type. Logs an attribute that does not
    /// apply.
    private func applies(
        _ key: String, _ string: String, _ text: AttributeText, _ entity: String?, _ name: String
    ) -> Bool {
        if text.takes(key, string) { return true }
        EngineLog.errorOnce(
            "\(entity.map { "\($0)." } ?? "")\(name): \(key) \"\(string)\" is ignored, because"
                + " it has no meaning for the type \(text.type.modelFileName).")
        return false
    }

    private func validationRules(
        _ element: XMLElement, _ text: AttributeText, entity: String?, name: String
    ) -> [ValidationRule] {
        var rules: [ValidationRule] = []
        for (key, bound) in AttributeText.bounds {
            guard let string = element[key], !string.isEmpty,
                applies(key, string, text, entity, name)
            else { continue }
            guard let limit = text.limit(string) else {
                report(
                    .badValue, element, key, entity: entity, property: name,
                    "\(key) \"\(string)\" does not fit the type \(text.type.modelFileName); "
                        + "write \(text.expectedLimit).")
                continue
            }
            rules.append(.limit(bound, limit, of: text.type))
        }
        if let pattern = element["regularExpressionString"], !pattern.isEmpty,
            applies("regularExpressionString", pattern, text, entity, name)
        {
            if (try? NSRegularExpression(pattern: pattern)) == nil {
                report(
                    .badValue, element, "regularExpressionString", entity: entity, property: name,
                    "\"\(pattern)\" is not a regular expression; correct it or remove it.")
            } else {
                rules.append(.pattern(pattern))
            }
        }
        return rules
    }
}
