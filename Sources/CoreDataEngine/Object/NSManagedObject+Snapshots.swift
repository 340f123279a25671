import CoreDataModel
import CoreDataStore
import Foundation

/// The values of an object by name, as dictionaries for merge conflicts.
extension NSManagedObject {
    final var committedSnapshot: [String: Any]? {
        cells == nil ? nil : snapshot { committedValue(at: $0) }
    }

    final func snapshot(of row: RowReference) -> [String: Any] {
        snapshot { RowFormat.value(row.cells, slot: $0, kind: layout.values[$0].kind) }
    }

    final var currentSnapshot: [String: Any] { snapshot { currentValue(at: $0) } }

    private func snapshot(_ value: (Int) -> Value) -> [String: Any] {
        var snapshot: [String: Any] = [:]
        for (slot, property) in layout.values.enumerated() where !property.isTransient {
            snapshot[property.name] = foundationValue(value(slot), slot) ?? NSNull()
        }
        return groupingComposites(snapshot)
    }

    private func foundationValue(_ value: Value, _ slot: Int) -> Any? {
        guard case .reference(let key) = value else {
            return programValue(value, slot)
        }
        guard let registry else { return nil }
        let layout = registry.layout(at: Int(key.entity))
        return registry.registered(key)?.objectID
            ?? NSManagedObjectID(
                key: key, entity: registry.binding.description(at: layout.index), layout: layout,
                store: registry.store(for: layout, key: key.key))
    }
}
