import CoreDataModel
import CoreDataStore
import Foundation

/// The values of a row in a conflict. The built-in policies compare rows and need no dictionary, so
/// the dictionary is created on demand.
enum RowSnapshot {
    /// An immutable row, with the identity map and the store for the ids in it. The ids are created
    /// from the store, because the context of the objects may no longer exist.
    struct Source {
        let row: RowReference
        let registry: ObjectRegistry
        let origin: StoreOrigin?
    }

    case made([String: Any])
    case row(Source)

    /// Attributes and to-one ids by name, `NSNull` for nil.
    var dictionary: [String: Any] {
        switch self {
        case .made(let values): values
        case .row(let source): source.values
        }
    }
}

extension RowSnapshot.Source {
    fileprivate var values: [String: Any] {
        let layout = registry.layout(at: RowFormat.entity(row.cells))
        var values: [String: Any] = [:]
        values.reserveCapacity(layout.values.count)
        for (slot, property) in layout.values.enumerated() where !property.isTransient {
            let value = RowFormat.value(row.cells, slot: slot, kind: property.kind)
            values[property.name] = programValue(value, property) ?? NSNull()
        }
        return values
    }

    /// Converts a stored value to the value that the program sees. A destination is in the same
    /// store as the row.
    private func programValue(_ value: Value, _ property: ValueSlot) -> Any? {
        guard case .reference(let key) = value else {
            return AttributeCoding.object(from: value, kind: property.kind)
        }
        return NSManagedObjectID(
            key: key,
            entity: .passUnretained(registry.binding.description(at: Int(key.entity))),
            origin: origin)
    }
}

/// Creates the snapshots of one object's rows.
struct RowSnapshotBuilder {
    private let object: NSManagedObject
    private let registry: ObjectRegistry?
    private let origin: StoreOrigin?

    init(_ object: NSManagedObject, _ origins: inout NotificationInfo.Origins) {
        self.object = object
        // Transformable values are decoded immediately, because a custom transformer may return
        // another value later.
        let isPlain = object.layoutReference._withUnsafeGuaranteedRef {
            $0.transformedSlots.isEmpty && !$0.hasComposites
        }
        registry = isPlain ? object.registry : nil
        origin = isPlain ? origins.origin(of: object) : nil
    }

    var committed: RowSnapshot? {
        guard let cells = object.cells, let block = object.block else { return nil }
        return snapshot(of: RowReference(block: block, cells: cells))
    }

    func snapshot(of row: RowReference) -> RowSnapshot {
        guard let registry else { return .made(object.snapshot(of: row)) }
        return .row(RowSnapshot.Source(row: row, registry: registry, origin: origin))
    }
}
