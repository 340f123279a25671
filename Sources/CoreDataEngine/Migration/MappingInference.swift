import CoreDataModel
import CoreDataStore
import Foundation

/// Infers how the rows of one version of a model become rows of another.
///
/// Automatic migration and `NSMappingModel.inferredMappingModel` use it. Entities and properties
/// correspond if their renaming identifiers are equal. Those without a counterpart were added or
/// removed.
struct MappingInference {
    let source: ModelBinding
    let destination: ModelBinding
    /// The index of the source entity for the index of each destination entity.
    private var sources: [Int?]

    init(source: ModelBinding, destination: ModelBinding) {
        self.source = source
        self.destination = destination
        sources = []
        var taken: Set<Int> = []
        sources = destination.layout.entities.map { _ in nil }
        // Entities are paired first by renaming identifiers, and then by name only.
        let rules: [(NSEntityDescription, NSEntityDescription) -> Bool] = [
            { $0.name == $1.name && $0.renamingIdentifier == $1.renamingIdentifier },
            { $0.renamingIdentifier == $1.renamingIdentifier },
            { $0.name == $1.renamingIdentifier },
            { $0.name == $1.name },
        ]
        for rule in rules {
            for index in sources.indices where sources[index] == nil {
                let new = destination.description(at: index)
                let found = source.layout.entities.indices.first {
                    !taken.contains($0) && rule(source.description(at: $0), new)
                }
                guard let found else { continue }
                taken.insert(found)
                sources[index] = found
            }
        }
    }

    /// The index of the source entity that corresponds to a destination entity.
    func sourceIndex(of index: Int) -> Int? { sources[index] }

    /// The index of the destination entity that corresponds to a source entity.
    func destinationIndex(of index: Int) -> Int? { sources.firstIndex(of: index) }

    func sourceProperty(
        of property: NSPropertyDescription, in index: Int
    ) -> NSPropertyDescription? {
        guard let sourceIndex = sources[index] else { return nil }
        let all = source.description(at: sourceIndex).properties
        let siblings = destination.description(at: index).propertiesByName
        let identifier = property.renamingIdentifier
        let rules: [(NSPropertyDescription) -> Bool] = [
            { $0.name == property.name && $0.renamingIdentifier == identifier },
            { $0.renamingIdentifier == identifier },
            { $0.name == identifier },
            // Properties of the same name correspond, unless the old property was renamed.
            { old in
                old.name == property.name && identifier == property.name
                    && !siblings.values.contains {
                        $0 !== property && $0.renamingIdentifier == old.renamingIdentifier
                    }
            },
        ]
        for rule in rules {
            if let found = all.first(where: { rule($0) && !($0 is NSFetchedPropertyDescription) }) {
                return found
            }
        }
        return nil
    }

    // MARK: As slots

    /// The whole mapping.
    ///
    /// - Throws: 134190 with all parts that cannot be inferred.
    func mapping() throws(CoreDataError) -> SchemaMapping {
        var findings = hierarchyFindings()
        let entities = destination.layout.entities.map { entity in
            var slots = (values: [SchemaMapping.Slot](), toMany: [SchemaMapping.Slot]())
            for value in entity.values {
                slots.values.append(slot(value.name, in: entity, &findings))
            }
            for relationship in entity.toMany {
                slots.toMany.append(slot(relationship.name, in: entity, &findings))
            }
            var defaults = [Value](repeating: .null, count: entity.values.count)
            for (slot, value) in destination.defaults(at: entity.index) { defaults[slot] = value }
            return SchemaMapping.Entity(
                source: sources[entity.index], values: slots.values, defaults: defaults,
                toMany: slots.toMany)
        }
        guard findings.isEmpty else { throw error(findings) }
        return SchemaMapping(entities: entities)
    }

    private struct Finding {
        let entity: String
        let property: String?
        let reason: String
    }

    private func error(_ findings: [Finding]) -> CoreDataError {
        let texts = findings.map { finding in
            [finding.entity, finding.property].compactMap { $0 }.joined(separator: ".")
                + ": " + finding.reason
        }
        var info = ["reason": findings[0].reason, "entity": findings[0].entity]
        info["property"] = findings[0].property
        return CoreDataError(
            .inferredMappingModel,
            "The mapping cannot be inferred. \(texts.joined(separator: " "))"
                + " Write a mapping model, or migrate in smaller steps.", info: info)
    }

    /// Root entities that were separate cannot become one hierarchy, because the primary keys of
    /// their tables collide.
    private func hierarchyFindings() -> [Finding] {
        destination.layout.entities.filter { $0.index == $0.rootIndex }.compactMap { root in
            let roots = Set(
                root.familyRange.compactMap { sources[$0] }.map { source.layout[$0].rootIndex })
            guard roots.count > 1 else { return nil }
            let names = roots.sorted().map { source.layout[$0].name }.joined(separator: ", ")
            return Finding(
                entity: root.name, property: nil,
                reason: "the entities \(names) had no common parent and cannot be merged.")
        }
    }

    private func slot(
        _ name: String, in entity: EntityLayout, _ findings: inout [Finding]
    ) -> SchemaMapping.Slot {
        if let dot = name.firstIndex(of: ".") {
            return element(name, dot, in: entity, &findings)
        }
        guard let sourceIndex = sources[entity.index],
            let property = destination.description(at: entity.index).propertiesByName[name],
            !property.isTransient,
            let old = sourceProperty(of: property, in: entity.index), !old.isTransient
        else { return .none }
        if let reason = obstacle(old, property) {
            // A problem of an inherited property is reported once, for the entity that declares it.
            if property.entity.name == entity.name {
                findings.append(Finding(entity: entity.name, property: name, reason: reason))
            }
            return .none
        }
        let layout = source.layout[sourceIndex]
        if let slot = layout.valueSlot(named: old.name) { return .value(slot) }
        return layout.toManySlot(named: old.name).map { .toMany($0) } ?? .none
    }

    /// An element of a composite attribute corresponds to the same element of the source attribute.
    private func element(
        _ name: String, _ dot: String.Index, in entity: EntityLayout,
        _ findings: inout [Finding]
    ) -> SchemaMapping.Slot {
        guard let sourceIndex = sources[entity.index],
            let composite = destination.description(at: entity.index)
                .propertiesByName[String(name[..<dot])],
            let old = sourceProperty(of: composite, in: entity.index)
        else { return .none }
        let layout = source.layout[sourceIndex]
        guard let slot = layout.valueSlot(named: old.name + name[dot...]),
            let own = entity.valueSlot(named: name)
        else { return .none }
        let (before, after) = (layout.values[slot].kind, entity.values[own].kind)
        let isNumber = NumericConversion.isNumeric(before) && NumericConversion.isNumeric(after)
        guard before == after || isNumber else {
            if composite.entity.name == entity.name {
                findings.append(
                    Finding(entity: entity.name, property: name, reason: Self.incompatibleTypes))
            }
            return .none
        }
        return .value(slot)
    }

    private static let incompatibleTypes =
        "Source and destination attribute types are incompatible."

    private func obstacle(_ old: NSPropertyDescription, _ new: NSPropertyDescription) -> String? {
        switch (old, new) {
        case (let old as NSAttributeDescription, let new as NSAttributeDescription):
            guard old.attributeType.goesOn(as: new.attributeType) else {
                return Self.incompatibleTypes
            }
        case (let old as NSRelationshipDescription, let new as NSRelationshipDescription):
            if old.isToMany && !new.isToMany {
                return "a to-many relationship cannot become a to-one relationship."
            }
            guard leadToOneEntity(old, new) else {
                return "the destination of the relationship is another entity."
            }
        default: return "an attribute and a relationship cannot become each other."
        }
        return nil
    }

    private func leadToOneEntity(
        _ old: NSRelationshipDescription, _ new: NSRelationshipDescription
    ) -> Bool {
        guard let oldName = old.destinationEntity?.name, let newName = new.destinationEntity?.name,
            let oldLayout = source.layout.entity(named: oldName),
            let newLayout = destination.layout.entity(named: newName)
        else { return false }
        let family = newLayout.familyRange.compactMap { sources[$0] }.map { source.layout[$0] }
        if let own = sources[newLayout.index].map({ source.layout[$0] }) {
            return own.isKind(of: oldLayout) || oldLayout.isKind(of: own)
        }
        // The new destination may be a superentity that the new model adds above the former
        // destination.
        return family.contains { $0.isKind(of: oldLayout) }
    }
}

extension NSAttributeType {
    /// Whether a migration in place can convert values of this type to the other: if both types are
    /// equal, or both are numeric.
    fileprivate func goesOn(as other: NSAttributeType) -> Bool {
        if self == other { return true }
        guard let kind = valueKind, let otherKind = other.valueKind else { return false }
        return NumericConversion.isNumeric(kind) && NumericConversion.isNumeric(otherKind)
    }
}
