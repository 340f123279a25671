import CoreDataModel
import Synchronization

extension RowCache {
    /// The indexes of the rows for which the cache has a newer version. Takes the lock once.
    ///
    /// - Parameters:
    ///   - versions: the versions with which the rows were read.
    ///   - keys: the rows.
    func places(
        ofOlder versions: ContiguousArray<Int32>, _ keys: ContiguousArray<Int64>,
        _ entity: EntityLayout
    ) -> [Int] {
        assert(keys.count == versions.count, "the number of versions is not the number of rows")
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
