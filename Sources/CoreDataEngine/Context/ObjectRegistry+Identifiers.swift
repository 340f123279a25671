import CoreDataModel
import CoreDataStore

extension ObjectRegistry {
    /// The ids of stored rows, in order. No statement.
    func identifiers(for keys: ContiguousArray<ObjectKey>) -> [NSManagedObjectID] {
        var maker = IdentifierMaker(self)
        if knowsEveryKey { return keys.map { maker.identifier($0) } }
        // An object of a child may still go by another key than its row's.
        return keys.map { registered($0)?.objectID ?? maker.identifier($0) }
    }
}

/// Makes ids by the thousand: entity and store are looked up once for neighbours that have them in
/// common.
private struct IdentifierMaker {
    private let registry: ObjectRegistry
    private var last: (entity: Int, tag: StoreTag)?
    private var entity: Unmanaged<NSEntityDescription>
    private var layout: Unmanaged<EntityLayout>
    private var origin = StoreOrigin(nil)

    init(_ registry: ObjectRegistry) {
        self.registry = registry
        layout = .passUnretained(registry.layout(at: 0))
        entity = .passUnretained(registry.binding.description(at: 0))
    }

    mutating func identifier(_ key: ObjectKey) -> NSManagedObjectID {
        let (index, tag) = (Int(key.entity), StoreTag(of: key.key))
        if last?.entity != index || last?.tag != tag {
            let found = registry.layout(at: index)
            layout = .passUnretained(found)
            entity = .passUnretained(registry.binding.description(at: index))
            origin = StoreOrigin(registry.store(for: found, key: key.key))
            last = (index, tag)
        }
        return NSManagedObjectID(key: key, entity: entity, layout: layout, origin: origin)
    }
}
