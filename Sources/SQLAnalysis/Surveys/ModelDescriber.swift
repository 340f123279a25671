import CoreDataModel
import CoreDataPredicate
import Foundation
import LabFiles

/// Describes a model as text or as a diagram, for the command `model`.
package struct ModelDescriber {
    private let model: NSManagedObjectModel

    /// Reads a model file of any format.
    ///
    /// - Throws: the reasons why the file cannot be read, with their positions.
    package init(path: String) throws(InputErrors) {
        model = try ModelSource.model(at: path)
    }

    private var entities: [NSEntityDescription] {
        model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") }
    }

    // MARK: Text

    /// The description as text, with a line for each entity and an indented line for each property.
    package var text: String {
        var lines: [String] = []
        for entity in entities { lines += describe(entity) }
        for configuration in model.configurations {
            let members = model.entities(forConfigurationName: configuration) ?? []
            let names = members.compactMap(\.name).sorted().joined(separator: ", ")
            lines.append("configuration \(configuration): \(names)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func describe(_ entity: NSEntityDescription) -> [String] {
        let parent = entity.superentity?.name.map { " : \($0)" } ?? ""
        var lines = ["\(entity.isAbstract ? "abstract " : "")\(entity.name ?? "?")\(parent)"]
        for property in entity.ownProperties.sorted(by: { $0.name < $1.name }) {
            lines.append("  \(property.name): \(Self.describe(property))")
        }
        for names in entity.constraintNames where !names.isEmpty {
            lines.append("  unique: \(names.joined(separator: ", "))")
        }
        for index in entity.indexes {
            let names = index.elements.compactMap(\.propertyName).joined(separator: ", ")
            lines.append("  index \(index.name): \(names)")
        }
        return lines
    }

    static func describe(_ property: NSPropertyDescription) -> String {
        var words: [String] = []
        switch property {
        case let attribute as NSAttributeDescription:
            words.append(attribute.attributeType.modelFileName)
            if let derived = attribute as? NSDerivedAttributeDescription {
                words.append(
                    "computed by \(derived.derivationExpression?.description ?? "nothing")")
            }
            if let composite = attribute as? NSCompositeAttributeDescription {
                let names = composite.elements.map { "\($0.name) \(describe($0))" }
                words.append("of (\(names.joined(separator: "; ")))")
            }
            if let name = attribute.valueTransformerName {
                words.append("by \(name)")
                if SurveyTransformer.isLacking(name) {
                    words.append("usable once \(name) is registered")
                }
            }
            if attribute.allowsExternalBinaryDataStorage { words.append("external") }
            if let value = attribute.defaultValue { words.append("default \(value)") }
        case let relationship as NSRelationshipDescription:
            let ordered = relationship.isOrdered ? "ordered " : ""
            words.append(relationship.isToMany ? "\(ordered)many" : "one")
            words.append(relationship.destinationEntity?.name ?? "?")
            if let inverse = relationship.inverseRelationship {
                words.append("inverse \(inverse.name)")
            }
            words.append("on delete \(name(of: relationship.deleteRule))")
        default: words.append("fetched property")
        }
        if property.isTransient { words.append("transient") }
        if !property.isOptional { words.append("required") }
        if let old = property.renamingIdentifier, old != property.name {
            words.append("was \(old)")
        }
        return words.joined(separator: ", ")
    }

    private static func name(of rule: NSDeleteRule) -> String {
        switch rule {
        case .noActionDeleteRule: "no action"
        case .nullifyDeleteRule: "nullify"
        case .cascadeDeleteRule: "cascade"
        case .denyDeleteRule: "deny"
        }
    }

    /// Xcode's warnings about the model, with their positions in the file.
    package var warnings: [String] { ModelWarnings(entities).all() }

    // MARK: JSON

    package func json() throws -> String {
        let described = entities.map { entity -> [String: Any] in
            var fields: [String: Any] = [
                "name": entity.name ?? "", "isAbstract": entity.isAbstract,
                "class": entity.managedObjectClassName ?? "",
                "uniquenessConstraints": entity.constraintNames,
                "indexes": entity.indexes.map { index in
                    ["name": index.name, "properties": index.elements.compactMap(\.propertyName)]
                        as [String: Any]
                },
                "properties": entity.ownProperties.sorted { $0.name < $1.name }
                    .map { Self.fields(of: $0) },
            ]
            fields["parent"] = entity.superentity?.name
            return fields
        }
        var configurations: [String: [String]] = [:]
        for name in model.configurations {
            let members = model.entities(forConfigurationName: name) ?? []
            configurations[name] = members.compactMap(\.name).sorted()
        }
        let data = try JSONSerialization.data(
            withJSONObject: [
                "entities": described, "configurations": configurations, "warnings": warnings,
            ] as [String: Any], options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    private static func fields(of property: NSPropertyDescription) -> [String: Any] {
        var fields: [String: Any] = [
            "name": property.name, "isOptional": property.isOptional,
            "isTransient": property.isTransient,
        ]
        switch property {
        case let attribute as NSAttributeDescription:
            fields["kind"] = "attribute"
            fields["type"] = attribute.attributeType.modelFileName
            fields["default"] = attribute.defaultValue.map { "\($0)" }
            fields["transformer"] = attribute.valueTransformerName
            if attribute.allowsExternalBinaryDataStorage { fields["isExternal"] = true }
            if let derived = attribute as? NSDerivedAttributeDescription {
                fields["derivation"] = derived.derivationExpression?.description
            }
            if let composite = attribute as? NSCompositeAttributeDescription {
                fields["elements"] = composite.elements.map { self.fields(of: $0) }
            }
        case let relationship as NSRelationshipDescription:
            fields["kind"] = "relationship"
            fields["isToMany"] = relationship.isToMany
            fields["isOrdered"] = relationship.isOrdered
            fields["destination"] = relationship.destinationEntity?.name
            fields["inverse"] = relationship.inverseRelationship?.name
            fields["deleteRule"] = name(of: relationship.deleteRule)
        default: fields["kind"] = "fetchedProperty"
        }
        return fields
    }

    // MARK: Diagram

    /// The description as an entity relationship diagram in Mermaid's format.
    package var mermaid: String {
        var lines = ["erDiagram"]
        for entity in entities {
            lines.append("    \(entity.name ?? "?") {")
            for case let attribute as NSAttributeDescription in entity.ownProperties {
                let type = attribute.attributeType.modelFileName.replacing(" ", with: "")
                lines.append("        \(type) \(attribute.name)")
            }
            lines.append("    }")
            if let parent = entity.superentity?.name {
                lines.append("    \(parent) ||--|| \(entity.name ?? "?") : \"is\"")
            }
        }
        for entity in entities { lines += links(of: entity) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The lines for an entity's relationships. A relationship and its inverse share a line.
    private func links(of entity: NSEntityDescription) -> [String] {
        let own = entity.ownProperties.compactMap { $0 as? NSRelationshipDescription }
        return own.sorted { $0.name < $1.name }.compactMap { relationship in
            guard let destination = relationship.destinationEntity?.name else { return nil }
            let name = entity.name ?? "?"
            if let inverse = relationship.inverseRelationship {
                let isFirst = (name, relationship.name) <= (destination, inverse.name)
                guard isFirst else { return nil }
            }
            let isMany = relationship.inverseRelationship?.isToMany ?? true
            let left = isMany ? "}o" : "|o"
            let right = relationship.isToMany ? "o{" : "o|"
            return "    \(name) \(left)--\(right) \(destination) : \"\(relationship.name)\""
        }
    }
}
