import CoreDataTrace
import Foundation

// Freezing makes a model immutable: it checks the model, numbers entities and properties, and
// creates the layout. A coordinator freezes its model before it uses it. So does other code that
// needs a layout.

extension NSManagedObjectModel {
    /// The results of freezing a model.
    package struct Frozen {
        package let layout: ModelLayout
        package let entities: [NSEntityDescription]
        let entitiesByName: [String: NSEntityDescription]
    }

    /// Checks the model, creates its layout and makes it immutable.
    ///
    /// May be called several times and on any thread. The first call does the work, in time
    /// proportional to the number of properties.
    ///
    /// - Throws: an error with all mistakes of the model; the model remains mutable.
    package func freeze() throws(ModelError) {
        lock.lock()
        defer { lock.unlock() }
        guard frozenParts == nil else { return }
        if let loadFailure { throw loadFailure }
        let findings = ModelCheck(self).findings()
        guard findings.isEmpty else { throw ModelError(findings) }
        let built = LayoutBuilder(self).build()
        frozenParts = Frozen(
            layout: built.layout, entities: built.entities,
            entitiesByName: Self.byName(built.entities))
        for (entity, layout) in zip(built.entities, built.layout.entities) {
            entity.freeze(entity.parts(for: layout))
        }
        storeVersionHashes(of: built.entities)
    }

    /// Checks whether the model can be used. Does not change it.
    package func checkUsable() throws(ModelError) {
        if let loadFailure { throw loadFailure }
        let findings = ModelCheck(self).findings()
        guard findings.isEmpty else { throw ModelError(findings) }
    }

    package var layout: ModelLayout { requireFrozen("layout").layout }

    package func entity(at index: Int) -> NSEntityDescription {
        requireFrozen("entity(at:)").entities[index]
    }

    private func requireFrozen(_ member: StaticString) -> Frozen {
        guard let frozenParts else {
            trap(
                "NSManagedObjectModel.\(member): the model is not frozen; call freeze() first.")
        }
        return frozenParts
    }
}

extension NSEntityDescription {
    fileprivate func parts(for layout: EntityLayout) -> Frozen {
        let properties = Self.byName(self.properties)
        let members = self.properties.flatMap(SlotProperty.slots)
        let slots = Dictionary(
            members.map { ($0.name, $0.property) }, uniquingKeysWith: { first, _ in first })
        return Frozen(
            layout: layout,
            valueProperties: layout.values.compactMap { slots[$0.name] },
            toManyProperties: layout.toMany.compactMap {
                properties[$0.name] as? NSRelationshipDescription
            },
            propertiesByName: properties,
            attributesByName: Self.byName(
                self.properties.compactMap { $0 as? NSAttributeDescription }),
            relationshipsByName: Self.byName(
                self.properties.compactMap { $0 as? NSRelationshipDescription }))
    }
}
