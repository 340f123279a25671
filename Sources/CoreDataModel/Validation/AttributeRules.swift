/// The rules for attributes: an attribute has a type, and its default value has this type.
extension ModelCheck {
    func attributeFindings(
        _ attribute: NSAttributeDescription, in entity: NSEntityDescription
    ) -> [ModelError.Finding] {
        func finding(_ kind: ModelError.Kind, _ message: String) -> ModelError.Finding {
            ModelError.Finding(kind, entity: entity.name, property: attribute.name, message)
        }
        // A transient attribute is not stored, so it needs no type.
        if attribute.attributeType == .undefinedAttributeType {
            if attribute.isTransient { return [] }
            return [finding(.missingType, Self.missingType)]
        }
        if attribute.attributeType == .objectIDAttributeType {
            // An object id cannot be stored as a value, because its object may be in another store.
            return attribute.isTransient
                ? [] : [finding(.unsupported, "an attribute for object ids must be transient.")]
        }
        if attribute.attributeType == .compositeAttributeType {
            return compositeProblem(attribute).map { [finding(.unsupported, $0)] } ?? []
        }
        if let problem = derivationProblem(attribute, in: entity) {
            return [finding(.unsupported, problem)]
        }
        // The value of a transformable attribute may be any object.
        if attribute.attributeType == .transformableAttributeType { return [] }
        guard let value = attribute.defaultValue, attribute.defaultConstant == nil else {
            return []
        }
        return [
            finding(
                .badDefaultValue,
                "the default value \(value) (\(type(of: value))) does not fit the type "
                    + "\(attribute.attributeType.modelFileName); "
                    + "write \(attribute.attributeType.expectedValue).")
        ]
    }

    /// The reason why a store cannot compute a derived attribute, or nil.
    private func derivationProblem(
        _ attribute: NSAttributeDescription, in entity: NSEntityDescription
    ) -> String? {
        guard let derived = attribute as? NSDerivedAttributeDescription, !derived.isTransient
        else { return nil }
        guard let expression = derived.derivationExpression else {
            return "the derived attribute has no expression; \(DerivationReader.advice)."
        }
        do throws(DerivationReader.Problem) {
            _ = try DerivationReader(entity).read(expression)
            return nil
        } catch {
            return "the derived attribute cannot be computed: \(error.text); "
                + "\(DerivationReader.advice)."
        }
    }

    /// The reason why a composite attribute cannot be stored, or nil.
    private func compositeProblem(_ attribute: NSAttributeDescription) -> String? {
        guard let composite = attribute as? NSCompositeAttributeDescription else {
            return "a composite attribute must be an NSCompositeAttributeDescription; use one."
        }
        var seen: Set<String> = []
        for element in composite.elements {
            let name = element.name
            if !Self.isUsable(name) || !seen.insert(name).inserted {
                return "an element cannot be called \"\(name)\"; \(Self.nameRule), each name once."
            }
            switch element {
            case is NSDerivedAttributeDescription:
                return "the element \"\(name)\" is derived; use a stored attribute."
            case let inner as NSCompositeAttributeDescription:
                if let problem = compositeProblem(inner) { return problem }
            case _ where element.attributeType == .undefinedAttributeType,
                _ where element.attributeType == .objectIDAttributeType:
                return "the element \"\(name)\" has no type that a store can keep."
            default: continue
            }
        }
        return composite.elements.isEmpty ? "a composite attribute has no elements; add one." : nil
    }

    static let missingType =
        "the attribute has no type; set one of "
        + NSAttributeType.modelFileTypes.map { "\"\($0.modelFileName)\"" }.joined(separator: ", ")
        + ", or make it transient."
}

extension NSAttributeType {
    var expectedValue: String {
        switch self {
        case .integer16AttributeType: "an integer from -32768 to 32767"
        case .integer32AttributeType: "an integer from -2147483648 to 2147483647"
        case .integer64AttributeType: "a 64-bit integer"
        case .booleanAttributeType: "true or false"
        case .doubleAttributeType, .floatAttributeType: "a number"
        case .decimalAttributeType: "a Decimal or another number"
        case .stringAttributeType: "a String"
        case .dateAttributeType: "a Date"
        case .binaryDataAttributeType: "Data"
        case .UUIDAttributeType: "a UUID"
        case .URIAttributeType: "a URL"
        case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType,
            .compositeAttributeType:
            "no default value"
        }
    }
}
