import Foundation

extension NSManagedObjectModel {
    package func makeCopy() -> NSManagedObjectModel {
        let copy = NSManagedObjectModel()
        let map = Self.copyGraph(entities)
        copy.entities = entities.compactMap { map[ObjectIdentifier($0)] }
        for name in configurations {
            let members = entities(forConfigurationName: name) ?? []
            copy.setEntities(
                members.compactMap { map[ObjectIdentifier($0)] }, forConfigurationName: name)
        }
        copy.versionIdentifiers = versionIdentifiers
        copy.localizationDictionary = localizationDictionary
        copy.fetchRequestSources = fetchRequestSources
        copy.versionsFolder = versionsFolder
        copy.versionName = versionName
        copy.knownVersions = knownVersions
        copy.compiledHashes = compiledHashes
        copy.classModules = classModules
        copy.fetchRequests = fetchRequests.compactMapValues {
            $0.copy(with: nil) as? any NSCopying
        }
        return copy
    }

    /// Copies entities that refer to each other. The copies refer to each other, and not to the
    /// originals.
    static func copyGraph(
        _ originals: [NSEntityDescription]
    ) -> [ObjectIdentifier: NSEntityDescription] {
        var entities: [ObjectIdentifier: NSEntityDescription] = [:]
        var properties: [ObjectIdentifier: NSPropertyDescription] = [:]
        for original in originals {
            let made = original.makeCopy()
            entities[ObjectIdentifier(original)] = made.entity
            properties.merge(made.properties) { first, _ in first }
        }
        for original in originals {
            entities[ObjectIdentifier(original)]?.subentities = original.subentities.compactMap {
                entities[ObjectIdentifier($0)]
            }
        }
        for case let relationship as NSRelationshipDescription in properties.values {
            if let destination = relationship.destinationEntity {
                relationship.destinationEntity = entities[ObjectIdentifier(destination)]
            }
            if let inverse = relationship.inverseRelationship {
                relationship.inverseRelationship =
                    properties[ObjectIdentifier(inverse)] as? NSRelationshipDescription
            }
        }
        // Indexes over inherited properties still refer to the original properties.
        for entity in entities.values {
            entity.indexes = entity.indexes.map {
                $0.makeCopy(properties: { properties[ObjectIdentifier($0)] ?? $0 })
            }
        }
        return entities
    }
}
