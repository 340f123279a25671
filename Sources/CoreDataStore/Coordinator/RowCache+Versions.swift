import CoreDataModel
import Synchronization

extension RowCache {
    /// The places of those rows of an entity of which a newer version is known; one lock for all.
    ///
    /// - Parameters:
    ///   - versions: what the rows were read with.
    ///   - keys: the rows.
    func places(
        ofOlder versions: ContiguousArray<Int32>, _ keys: ContiguousArray<Int64>,
        _ entity: EntityLayout
    ) -> [Int] {
        assert(keys.count == versions.count, "every row has a version")
        let root = roots[entity.index]
        return lock.withLock { _ in
            var places: [Int] = []
            for place in keys.indices {
                guard let known = rows[root][keys[place]] else { continue }
                if RowFormat.version(known) > versions[place] { places.append(place) }
            }
            return places
        }
    }
}
