import CoreDataPredicate

// A separate file, because a file that uses predicates cannot import Foundation.

/// Reads the predicates and expressions of a compiled model.
extension ModelUnarchiver {
    func addRules(
        to property: NSPropertyDescription, _ fields: [String: ArchiveValue],
        of entity: NSEntityDescription
    ) {
        let rules = archive.members(fields["NSValidationPredicates"])
            .map { predicate($0, entity.name, property.name, isNeeded: needsRules) }
        let warnings = archive.members(fields["NSValidationWarnings"])
            .map { archive.constant(.reference($0)).map { "\($0)" } ?? "" }
        let pairs = rules.enumerated().compactMap { index, rule in
            rule.map { ($0, index < warnings.count ? warnings[index] : "") }
        }
        property.setValidationPredicates(
            pairs.map(\.0), withValidationWarnings: pairs.map(\.1))
    }

    func addParts(
        to attribute: NSAttributeDescription, _ fields: [String: ArchiveValue],
        of entity: NSEntityDescription
    ) {
        if let derived = attribute as? NSDerivedAttributeDescription,
            let place = archive.place(fields["NSDerivationExpression"])
        {
            do throws(UnreadablePredicate) {
                derived.derivationExpression = try archive.expression(place)
            } catch {
                report(
                    .unsupported, entity.name, attribute.name,
                    "the derived attribute uses \(error), which cannot be read.")
            }
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            composite.elements = archive.members(fields["NSElements"])
                .compactMap { property($0, of: entity) as? NSAttributeDescription }
        }
    }

    func predicate(
        _ place: Int, _ entity: String?, _ property: String?, isNeeded: Bool = true
    ) -> NSPredicate? {
        do throws(UnreadablePredicate) { return try archive.predicate(place) } catch {
            guard isNeeded else { return nil }
            report(
                .unsupported, entity, property,
                "a rule has \(error), which cannot be read; "
                    + "use the .xcdatamodeld from which it was compiled.")
            return nil
        }
    }

    func request(
        _ place: Int, _ entity: String?, _ name: String
    ) -> FetchRequestSource {
        let fields = archive.fields(place)
        let known = archive.place(fields["NSEntity"]).flatMap { entities[$0]?.name }
        var source = FetchRequestSource(
            entityName: known ?? archive.string(fields["_NSFetchRequestEntityName"]) ?? "")
        source.predicateFormat =
            archive.place(fields["NSPredicate"])
            .flatMap { predicate($0, entity, name, isNeeded: needsRules) }?.predicateFormat
        source.fetchLimit = archive.integer(fields["NSFetchLimit"]) ?? 0
        source.fetchBatchSize = archive.integer(fields["NSBatchSize"]) ?? 0
        source.resultType = archive.integer(fields["NSResultType"]) ?? 0
        return source
    }
}
