import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import Foundation

/// Values for attributes that satisfy the model's validation rules.
struct SampleValues {
    /// A different number for each entity, because some values must be unique.
    let number: Int

    /// A value for an attribute; nil for a transient attribute. Also nil if no sample passes the
    /// validation rules, but the attribute is optional or has a default.
    ///
    /// - Throws: an error if no sample passes the rules of a required attribute without a default.
    func value(of attribute: NSAttributeDescription) throws(SurveyProblem) -> Any? {
        if attribute.isTransient { return nil }
        if let composite = attribute as? NSCompositeAttributeDescription {
            var elements: [String: Any] = [:]
            for element in composite.elements { elements[element.name] = try value(of: element) }
            return elements
        }
        let fitting = candidates(attribute).first { passes($0, attribute) }
        if fitting == nil, !attribute.isOptional, attribute.defaultValue == nil {
            throw SurveyProblem(
                "no sample passes the rules of \(attribute.owner?.name ?? "").\(attribute.name)")
        }
        return fitting
    }

    private func passes(_ value: Any, _ attribute: NSAttributeDescription) -> Bool {
        // A value is invalid if the predicate cannot be evaluated.
        attribute.validationPredicates.allSatisfy {
            (try? $0.evaluateCore(with: value)) ?? false
        }
    }

    private func candidates(_ attribute: NSAttributeDescription) -> [Any] {
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            [number + 1, 1, 0, -1, 10, 100, 1_000].map { NSNumber(value: $0) }
        case .booleanAttributeType: [NSNumber(value: true), NSNumber(value: false)]
        case .doubleAttributeType, .floatAttributeType:
            [Double(number) + 0.5, 0, 1, -1, 10, 100].map { NSNumber(value: $0) }
        case .decimalAttributeType:
            [number + 1, 0, 1, 100].map { NSDecimalNumber(value: $0) }
        case .stringAttributeType: texts
        case .dateAttributeType:
            [Date(timeIntervalSinceReferenceDate: Double(number)), Date()]
        case .binaryDataAttributeType: [Data("sample \(number)".utf8)]
        case .UUIDAttributeType: [UUID()]
        case .URIAttributeType: [URL(string: "https://example.org/\(number)")].compactMap(\.self)
        case .transformableAttributeType: [NSArray(array: ["sample"])]
        case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType: []
        }
    }

    /// Strings of many lengths for length limits, and in common formats for patterns.
    private var texts: [String] {
        let lengths = [2, 3, 4, 5, 8, 16, 32, 64, 128]
        return ["sample \(number)", "a\(number)", "1\(number)", "a\(number)@example.org"]
            + lengths.map { String(repeating: "a", count: $0) } + ["", "https://example.org"]
    }
}

/// A substitute for a program's value transformer, so its models can be tested without the program.
final class SurveyTransformer: NSSecureUnarchiveFromDataTransformer {
    /// Registers a transformer of this class for each name in the model for which no transformer is
    /// registered.
    ///
    /// - Returns: the sorted names.
    @discardableResult
    static func stand(inFor model: NSManagedObjectModel) -> [String] {
        var names: Set<String> = []
        for entity in model.entities {
            for case let attribute as NSAttributeDescription in entity.properties {
                guard let name = attribute.valueTransformerName, isLacking(name) else { continue }
                names.insert(name)
                ValueTransformer.setValueTransformer(
                    SurveyTransformer(), forName: NSValueTransformerName(name))
            }
        }
        return names.sorted()
    }

    /// Whether no transformer is registered for the name, or only a substitute.
    static func isLacking(_ name: String) -> Bool {
        guard !name.isEmpty else { return false }
        let found = ValueTransformer(forName: NSValueTransformerName(name))
        return found == nil || found is SurveyTransformer
    }
}
