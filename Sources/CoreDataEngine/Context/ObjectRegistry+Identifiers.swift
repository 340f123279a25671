import CRuntimeShims
import CoreDataModel
import CoreDataStore

extension ObjectRegistry {
    /// The ids of stored rows, in order. Runs no SQL.
    func identifiers(for pages: consuming KeyPages) -> [NSManagedObjectID] {
        // In a child context, an object may still have a temporary key although its row has the
        // permanent key.
        guard knowsEveryKey else { return pages.allKeys.map(identifier(of:)) }
        let total = pages.total
        var rest = consume pages
        return Array(unsafeUninitializedCapacity: total) { buffer, count in
            guard let memory = buffer.baseAddress else { return }
            rest.takeEachPage { page in
                fill(memory + count, from: page)
                count += page.count
            }
        }
    }

    private func fill(_ memory: UnsafeMutablePointer<NSManagedObjectID>, from page: KeyPage) {
        switch page {
        case .ofEntity(let entity, let keys):
            fill(memory, from: EntityKeys(entity: entity, keys: keys))
        case .ofFamily(let keys): fill(memory, from: keys)
        }
    }

    @inline(__always)
    private func fill<Source: PageSource>(
        _ memory: UnsafeMutablePointer<NSManagedObjectID>, from keys: Source
    ) {
        var next = 0
        while next < keys.count {
            let end = Self.endOfRun(in: keys, from: next)
            makeIdentifiers(memory, of: keys, in: next..<end)
            next = end
        }
    }

    /// The end of a run: adjacent keys of the same entity in the same store.
    @inline(__always)
    private static func endOfRun<Source: PageSource>(in keys: Source, from start: Int) -> Int {
        let (entity, tag) = (keys.entity(at: start), StoreTag(of: keys.key(at: start)).number)
        var end = start + 1
        while end < keys.count, keys.entity(at: end) == entity,
            StoreTag(of: keys.key(at: end)).number == tag
        {
            end += 1
        }
        return end
    }

    /// Creates the ids of a run. The entity and the store are looked up and retained once for all
    /// of its ids.
    @inline(__always)
    private func makeIdentifiers<Source: PageSource>(
        _ memory: UnsafeMutablePointer<NSManagedObjectID>, of keys: Source, in run: Range<Int>
    ) {
        let index = keys.entity(at: run.lowerBound)
        let entity = Unmanaged.passUnretained(binding.description(at: index))
        let store = store(for: layout(at: index), key: keys.key(at: run.lowerBound))
        guard let origin = store?.origin else {
            for place in run {
                (memory + place).initialize(
                    to: NSManagedObjectID(
                        number: keys.key(at: place), entity: entity, origin: nil))
            }
            return
        }
        let shared = Unmanaged.passUnretained(origin)
        faultline_retain(shared.toOpaque(), UInt32(run.count))
        for place in run {
            (memory + place).initialize(
                to: NSManagedObjectID(
                    number: keys.key(at: place), entity: entity,
                    origin: shared.takeRetainedValue()))
        }
    }
}
