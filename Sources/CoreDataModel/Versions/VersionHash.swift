import Foundation

// Computes the hashes that show whether two versions of a model differ for a store. Freezing a
// model stores its hashes; other callers compute a hash before the model is frozen.
//
// A hash covers the settings that Core Data's hashes cover (header comments and published
// experiments). The bytes that are hashed differ from Apple's, which are not published.

extension NSPropertyDescription {
    package var computedVersionHash: Data { storedVersionHash ?? Data(canonicalForm.hash) }

    private var canonicalForm: CanonicalForm {
        switch self {
        case let attribute as NSAttributeDescription: attribute.attributeForm
        case let relationship as NSRelationshipDescription: relationship.relationshipForm
        default: commonForm("property")
        }
    }

    fileprivate func commonForm(_ kind: StaticString) -> CanonicalForm {
        var form = CanonicalForm(kind)
        form.add("name", name)
        form.add("optional", isOptional)
        form.add("transient", isTransient)
        form.add("modifier", versionHashModifier ?? "")
        return form
    }
}

extension NSAttributeDescription {
    fileprivate var attributeForm: CanonicalForm {
        var form = commonForm("attribute")
        form.add("type", Int(attributeType.rawValue))
        form.add("external", allowsExternalBinaryDataStorage)
        form.add("preserved", preservesValueInHistoryOnDeletion)
        if let derived = self as? NSDerivedAttributeDescription {
            form.add("derivation", derived.normalForm)
        }
        for element in (self as? NSCompositeAttributeDescription)?.elements ?? [] {
            form.add("element", hash: element.versionHash)
        }
        return form
    }
}

extension NSRelationshipDescription {
    fileprivate var relationshipForm: CanonicalForm {
        var form = commonForm("relationship")
        form.add("ordered", isOrdered)
        form.add("minimum", minCount)
        form.add("maximum", maxCount)
        form.add("destination", destinationEntity?.name ?? "")
        form.add("inverse", inverseRelationship?.name ?? "")
        return form
    }
}

extension NSEntityDescription {
    /// A hash of 32 bytes over all settings of the entity that affect stores.
    ///
    /// It covers the name, whether the entity is abstract, the superentity's hash, the hashes of
    /// stored properties, uniqueness constraints and the modifier. It does not cover the class,
    /// indexes, fetched properties or transient properties.
    public var versionHash: Data {
        if let storedVersionHash { return storedVersionHash }
        var form = CanonicalForm("entity")
        form.add("name", name ?? "")
        form.add("abstract", isAbstract)
        form.add("modifier", versionHashModifier ?? "")
        for parent in ancestors.prefix(1) { form.add("super", hash: parent.versionHash) }
        let stored = ownProperties.filter {
            !$0.isTransient && !($0 is NSFetchedPropertyDescription)
        }
        for property in stored.sorted(by: { $0.name.precedesInASCII($1.name) }) {
            form.add("property", hash: property.versionHash)
        }
        let constraints = constraintNames.map { $0.joined(separator: ",") }
        for constraint in constraints.sorted(by: { $0.precedesInASCII($1) }) {
            form.add("unique", constraint)
        }
        return Data(form.hash)
    }
}

extension NSManagedObjectModel {
    /// The version hashes of all entities, by name.
    public var entityVersionHashesByName: [String: Data] { hashes(of: entities) }

    /// A checksum of all version hashes: their SHA-256 in Base64.
    public var versionChecksum: String {
        VersionDigest(entityVersionHashesByName).checksum
    }

    /// Computes the hashes of a model that no longer changes, and stores them in the descriptions.
    /// Superentities come first.
    func storeVersionHashes(of entities: [NSEntityDescription]) {
        for entity in entities {
            for property in entity.ownProperties {
                property.storedVersionHash = property.versionHash
            }
            entity.storedVersionHash = entity.versionHash
        }
    }

    fileprivate func hashes(of entities: [NSEntityDescription]) -> [String: Data] {
        Self.byName(entities).mapValues(\.versionHash)
    }
}

extension NSManagedObjectModel {
    /// Whether a store with this metadata can be used with a configuration without a migration.
    ///
    /// The metadata may contain the hashes of this module, or those that the compiler of a `.momd`
    /// has recorded. So a store of Apple's framework is recognised, too.
    ///
    /// - Parameters:
    ///   - configuration: nil for the default one, which has all entities.
    ///   - metadata: a store's metadata; without version hashes, the result is false.
    public func isConfiguration(
        withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
    ) -> Bool {
        guard let entities = entities(forConfigurationName: configuration),
            let stored = metadata[VersionDigest.hashesKey] as? [String: Any]
        else { return false }
        let own = hashes(of: entities)
        let compiled = compiledHashes.filter { own[$0.key] != nil }
        return [own, compiled].contains { known in
            stored.count == own.count && known.count == own.count
                && known.allSatisfy { stored[$0.key] as? Data == $0.value }
        }
    }

    /// The part of a new store's metadata that describes the model.
    ///
    /// - Parameter configuration: nil for the default configuration. For an unknown configuration,
    ///   the result is nil.
    package func storeMetadata(
        forConfigurationName configuration: String? = nil
    ) -> [String: any Sendable]? {
        guard let entities = entities(forConfigurationName: configuration) else { return nil }
        let hashes = hashes(of: entities)
        let digest = VersionDigest(hashes)
        return [
            VersionDigest.hashesKey: hashes,
            VersionDigest.hashesVersionKey: 3,
            VersionDigest.digestKey: digest.digest,
            VersionDigest.checksumKey: digest.checksum,
            VersionDigest.identifiersKey:
                versionIdentifiers
                .compactMap { $0.base as? String }.sorted(),
            VersionDigest.frameworkVersionKey: VersionDigest.frameworkVersion,
        ]
    }
}
