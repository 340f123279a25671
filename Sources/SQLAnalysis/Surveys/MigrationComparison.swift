import CoreDataEngine
import CoreDataPredicate
import Foundation

import class CoreDataPredicate.NSExpression

/// Checks that a migrated store contains the objects that the mapping model requires.
///
/// Before the migration, the store had one object of each entity. So the name of an entity
/// identifies a destination.
struct MigrationComparison {
    let before: [SampleStore.Record]
    let after: [SampleStore.Record]
    /// Whether the rows keep their primary keys, as in an in-place migration.
    let keepsKeys: Bool

    /// - Throws: an error about the first value that is missing or different.
    func check(_ model: NSMappingModel) throws {
        for mapping in model.entityMappings {
            guard let destination = mapping.destinationEntityName,
                let source = before.first(where: { $0.entity == mapping.sourceEntityName })
            else { continue }
            let found = after.filter {
                $0.entity == destination && (!keepsKeys || $0.key == source.key)
            }
            let problems = found.map { problem(mapping, source, $0, model) }
            // The mapping's filter may exclude the object.
            if found.isEmpty, Self.isFiltered(mapping) { continue }
            guard let first = problems.first else {
                throw SurveyProblem("\(source.entity) was not migrated to \(destination)")
            }
            if let first, !problems.contains(nil) { throw SurveyProblem(first) }
        }
    }

    private static func isFiltered(_ mapping: NSEntityMapping) -> Bool {
        mapping.sourceExpression.map { !"\($0)".contains("TRUEPREDICATE") } ?? false
    }

    private func problem(
        _ mapping: NSEntityMapping, _ source: SampleStore.Record, _ found: SampleStore.Record,
        _ model: NSMappingModel
    ) -> String? {
        for property in mapping.attributeMappings ?? [] {
            guard let name = property.name, let key = Self.sourceKey(property.valueExpression),
                let old = source.values[key]
            else { continue }
            if let new = found.values[name], Self.areEqual(old, new) { continue }
            let text = found.values[name].map { "\($0)" } ?? "nothing"
            return "\(found.entity).\(name) is \(text) and was \(old)"
        }
        for property in mapping.relationshipMappings ?? [] {
            guard let name = property.name, let expected = links(property, source, model),
                let links = found.links[name]
            else { continue }
            let known = keepsKeys ? links : Set(links.map(Self.entity))
            // A to-one relationship has only one of the expected destinations.
            if known == expected || (known.count == 1 && known.isSubset(of: expected)) { continue }
            return "\(found.entity).\(name) leads to \(Self.list(known)), not to"
                + " \(Self.list(expected))"
        }
        return nil
    }

    private static func list(_ names: Set<String>) -> String {
        names.isEmpty ? "nothing" : names.sorted().joined(separator: ", ")
    }

    private static func entity(_ place: String) -> String {
        String(place.prefix { $0 != "/" })
    }

    private static func areEqual(_ old: Any, _ new: Any) -> Bool {
        if let old = old as? NSNumber, let new = new as? NSNumber {
            return Float(old.doubleValue) == Float(new.doubleValue)
        }
        if let old = old as? AnyHashable, let new = new as? AnyHashable { return old == new }
        return (old as? NSObject)?.isEqual(new) ?? false
    }

    // MARK: Expressions

    /// The key in an expression such as `$source.key`; nil for other expressions.
    private static func sourceKey(_ expression: NSExpression?) -> String? {
        guard case .path(let target, let keys)? = expression?.node, keys.count == 1,
            target.expressionType == .variable, target.variable == NSMigrationSourceObjectKey
        else { return nil }
        return keys[0]
    }

    /// The objects to which the migrated relationship should lead. Nil if the mapping's expression
    /// has an unknown form, or if the source object has no such objects.
    private func links(
        _ property: NSPropertyMapping, _ source: SampleStore.Record, _ model: NSMappingModel
    ) -> Set<String>? {
        guard let expression = property.valueExpression, expression.expressionType == .function,
            let arguments = expression.arguments, arguments.count == 2
        else { return nil }
        let places: Set<String>
        if let key = Self.sourceKey(arguments[1]) {
            places = source.links[key] ?? []
        } else if case .variable(NSMigrationSourceObjectKey) = arguments[1].node {
            places = [source.place]
        } else {
            return nil
        }
        let named = arguments[0].expressionType == .constantValue ? arguments[0].constantValue : nil
        let only = (named as? String).flatMap { model.entityMappingsByName[$0] }
        let expected = Set(places.flatMap { destinations(of: $0, only, model) })
        return expected.isEmpty ? nil : expected
    }

    /// The objects that the migration creates from an object.
    private func destinations(
        of place: String, _ only: NSEntityMapping?, _ model: NSMappingModel
    ) -> [String] {
        let entity = Self.entity(place)
        let mappings = only.map { [$0] } ?? model.entityMappings ?? []
        let names = mappings.filter { $0.sourceEntityName == entity }
            .compactMap(\.destinationEntityName)
        return keepsKeys ? names.map { "\($0)\(place.dropFirst(entity.count))" } : names
    }
}
