import CRuntimeShims
import CoreDataModel
import CoreDataStore

extension ObjectRegistry {
    /// The ids of stored rows, in order. No statement.
    func identifiers(for keys: ContiguousArray<ObjectKey>) -> [NSManagedObjectID] {
        // An object of a child may still go by another key than its row's.
        guard knowsEveryKey else { return keys.map(identifier(of:)) }
        return Array(unsafeUninitializedCapacity: keys.count) { buffer, count in
            guard let memory = buffer.baseAddress else { return }
            while count < keys.count {
                let end = Self.endOfRun(in: keys, from: count)
                makeIdentifiers(memory, of: keys, in: count..<end)
                count = end
            }
        }
    }

    /// Where neighbours end that have entity and store in common.
    private static func endOfRun(in keys: ContiguousArray<ObjectKey>, from start: Int) -> Int {
        let (entity, tag) = (keys[start].entity, StoreTag(of: keys[start].key))
        var end = start + 1
        while end < keys.count, keys[end].entity == entity, StoreTag(of: keys[end].key) == tag {
            end += 1
        }
        return end
    }

    /// Makes the ids of a run: what they have in common is looked up and retained once for all.
    private func makeIdentifiers(
        _ memory: UnsafeMutablePointer<NSManagedObjectID>, of keys: ContiguousArray<ObjectKey>,
        in run: Range<Int>
    ) {
        let first = keys[run.lowerBound]
        let index = Int(first.entity)
        let entity = Unmanaged.passUnretained(binding.description(at: index))
        let store = store(for: layout(at: index), key: first.key)
        guard let origin = store?.origin else {
            for place in run {
                (memory + place).initialize(
                    to: NSManagedObjectID(key: keys[place], entity: entity, origin: nil))
            }
            return
        }
        let shared = Unmanaged.passUnretained(origin)
        faultline_retain(shared.toOpaque(), UInt32(run.count))
        for place in run {
            (memory + place).initialize(
                to: NSManagedObjectID(
                    key: keys[place], entity: entity, origin: shared.takeRetainedValue()))
        }
    }
}
