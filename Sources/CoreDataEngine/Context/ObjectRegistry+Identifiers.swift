import CRuntimeShims
import CoreDataModel
import CoreDataStore

extension ObjectRegistry {
    /// The ids of stored rows, in order. No statement.
    func identifiers(for pages: KeyPages) -> [NSManagedObjectID] {
        // An object of a child may still go by another key than its row's.
        guard knowsEveryKey else { return pages.joined().map(identifier(of:)) }
        let total = pages.reduce(0) { $0 + $1.count }
        return Array(unsafeUninitializedCapacity: total) { buffer, count in
            guard let memory = buffer.baseAddress else { return }
            for page in pages {
                fill(memory + count, from: page)
                count += page.count
            }
        }
    }

    private func fill(
        _ memory: UnsafeMutablePointer<NSManagedObjectID>, from keys: ContiguousArray<ObjectKey>
    ) {
        var next = 0
        while next < keys.count {
            let end = Self.endOfRun(in: keys, from: next)
            makeIdentifiers(memory, of: keys, in: next..<end)
            next = end
        }
    }

    /// Where neighbours end that have entity and store in common.
    private static func endOfRun(in keys: ContiguousArray<ObjectKey>, from start: Int) -> Int {
        let (entity, tag) = (keys[start].entity, StoreTag(of: keys[start].key).number)
        var end = start + 1
        while end < keys.count, keys[end].entity == entity,
            StoreTag(of: keys[end].key).number == tag
        {
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
