/// Finds all mistakes that prevent the use of a model.
///
/// Freezing runs the check once. The rules are in extensions, one file for each subject.
struct ModelCheck {
    let model: NSManagedObjectModel
    let members: Set<ObjectIdentifier>

    init(_ model: NSManagedObjectModel) {
        self.model = model
        members = Set(model.entities.map(ObjectIdentifier.init))
    }

    /// All findings: first those of entities, then those of properties.
    func findings() -> [ModelError.Finding] {
        let entities = NSManagedObjectModel.byName(model.entities)
        return allFindings().map { finding in
            guard let entity = finding.entity.flatMap({ entities[$0] }) else { return finding }
            let property = finding.property.flatMap { name in
                entity.ownProperties.first { $0.name == name }
            }
            var placed = finding
            placed.location = property?.sourceLocation ?? entity.sourceLocation
            return placed
        }
    }

    private func allFindings() -> [ModelError.Finding] {
        var found = duplicateEntities() + configurationFindings()
        for entity in model.entities { found += entityFindings(entity) }
        // The following rules would never end for cyclic inheritance.
        guard found.isEmpty else { return found }
        for entity in model.entities {
            found += propertyFindings(entity)
            for property in entity.ownProperties {
                switch property {
                case let attribute as NSAttributeDescription:
                    found += attributeFindings(attribute, in: entity)
                case let relationship as NSRelationshipDescription:
                    found += relationshipFindings(relationship, in: entity)
                default: break
                }
            }
            found += constraintFindings(entity) + indexFindings(entity)
        }
        return found
    }

    /// Whether a name can be used in key paths, predicates and SQL.
    static func isUsable(_ name: String) -> Bool {
        guard let first = name.first, first.isLetter || first == "_" else { return false }
        return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }

    static let nameRule = "use a letter or an underscore, then letters, digits and underscores"
}
