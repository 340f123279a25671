import CRuntimeShims
import CoreDataModel
import CoreDataStore
import CoreDataTrace
import Synchronization

/// Finds and creates the objects of many keys or rows together, for fetches, relationships and
/// prefetching.
///
/// Fetched keys and rows come in pages (groups). Locks are taken and reference counts are changed
/// once for each page, and not for each object.
extension ObjectRegistry {
    /// The objects with the given keys, in order. Objects that are not registered are created as
    /// faults. Runs no SQL.
    func objects(for keys: ContiguousArray<ObjectKey>) -> [NSManagedObject] {
        guard let first = keys.first else { return [] }
        reserve(keys.count, for: layout(at: Int(first.entity)))
        return Array(unsafeUninitializedCapacity: keys.count) { buffer, count in
            guard let memory = buffer.baseAddress else { return }
            fill(ObjectPage(memory), from: keys, isNew: false)
            count = keys.count
        }
    }

    /// The objects with the given keys, in order. The keys come in pages, which are processed one
    /// by one. Objects that are not registered are created as faults.
    func objects(for pages: consuming KeyPages, family: EntityLayout) -> [NSManagedObject] {
        let total = pages.total
        guard total > 0 else { return [] }
        var rest = consume pages
        let isNew = lock.withLock { _ in
            tables[family.rootIndex].reserve(total)
            return parent == nil && tables[family.rootIndex].count == 0
        }
        return Array(unsafeUninitializedCapacity: total) { buffer, count in
            guard let memory = buffer.baseAddress else { return }
            rest.takeEachPage { page in
                let place = ObjectPage(memory + count)
                switch page {
                case .ofEntity(let entity, let keys):
                    fill(place, from: EntityKeys(entity: entity, keys: keys), isNew: isNew)
                case .ofFamily(let keys): fill(place, from: keys, isNew: isNew)
                }
                count += page.count
            }
        }
    }

    /// The objects of fetched rows, in order. An object that is not registered is created as a
    /// fault with its row attached. A registered fault receives the fetched row; other registered
    /// objects do not change.
    func objects(for rows: FetchedRows, family: EntityLayout) -> [NSManagedObject] {
        // An empty array would share its storage with all other empty arrays, so it must not be
        // written.
        guard rows.count > 0 else { return [] }
        return Array(unsafeUninitializedCapacity: rows.count) { buffer, count in
            fill(buffer.baseAddress, from: rows, family: family)
            count = rows.count
        }
    }

    func objects(
        for rows: FetchedRows, family: EntityLayout, groups: ContiguousArray<Int>,
        take: (_ group: Int, _ objects: [NSManagedObject]) -> Void
    ) {
        let count = rows.count
        Self.inGroups(groups, of: count, fill: { fill($0, from: rows, family: family) }, take: take)
    }

    func objects(
        for keys: ContiguousArray<ObjectKey>, groups: ContiguousArray<Int>,
        take: (_ group: Int, _ objects: [NSManagedObject]) -> Void
    ) {
        Self.inGroups(
            groups, of: keys.count, fill: { fill(ObjectPage($0), from: keys, isNew: false) },
            take: take)
    }

    private static func inGroups(
        _ groups: ContiguousArray<Int>, of count: Int,
        fill: (UnsafeMutablePointer<NSManagedObject>) -> Void,
        take: (_ group: Int, _ objects: [NSManagedObject]) -> Void
    ) {
        let all = UnsafeMutablePointer<NSManagedObject>.allocate(capacity: count)
        defer { all.deallocate() }
        fill(all)
        var next = all
        for (index, size) in groups.enumerated() {
            take(index, group(of: size, at: next))
            next += size
        }
        trap(unless: next == all + count, "the groups do not contain every object once")
    }

    private static func group(
        of size: Int, at first: UnsafeMutablePointer<NSManagedObject>
    ) -> [NSManagedObject] {
        guard size > 0 else { return [] }
        return [NSManagedObject](unsafeUninitializedCapacity: size) { buffer, count in
            buffer.baseAddress?.moveInitialize(from: first, count: size)
            count = size
        }
    }

    /// Attaches rows to their objects, if these are registered and are faults.
    ///
    /// Objects are not retained meanwhile. If another thread releases an object at the same time,
    /// the object's `deinit` waits for the lock before it releases the row.
    func attachToFaults(_ rows: FetchedRows) {
        for block in rows.blocks {
            var replaced: [UnsafeRawPointer] = []
            var adopted: [NSManagedObject] = []
            lock.withLock { _ in
                var taken: UInt32 = 0
                for index in 0..<block.count {
                    let cells = block.cells(at: index)
                    guard let pointer = known(cells, &adopted) else { continue }
                    Unmanaged<NSManagedObject>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
                        guard $0.state.contains(.fault), $0.cells != cells else { return }
                        taken += 1
                        if let old = $0.exchange(cells) { replaced.append(old) }
                    }
                }
                if taken > 0 {
                    faultline_retain(Unmanaged.passUnretained(block).toOpaque(), taken)
                }
            }
            for old in replaced { RowFormat.block(old).release() }
            withExtendedLifetime(adopted) {}
        }
    }

    // MARK: Filling

    /// Writes the objects of fetched rows, retained, to uninitialised memory.
    private func fill(
        _ memory: UnsafeMutablePointer<NSManagedObject>?, from rows: FetchedRows,
        family: EntityLayout
    ) {
        guard var next = memory else { return }
        // If the table is empty, no object needs to be looked up. An object that is in this fetch
        // twice is detected when it is registered.
        let isNew = lock.withLock { _ in
            tables[family.rootIndex].reserve(rows.count)
            return tables[family.rootIndex].count == 0
        }
        for block in rows.blocks {
            fill(ObjectPage(next), from: block, isNew: isNew)
            next += block.count
        }
        assert(
            memory.map { next == $0 + rows.count } ?? true,
            "the number of objects is not the number of rows")
    }

    /// Looks up the objects of a page, creates and registers the missing ones, and attaches the
    /// rows.
    ///
    /// The lock is taken only twice. The registry and the block of rows are retained once for all
    /// objects. Creating an object may run code of the program, so it happens outside of the lock.
    @inline(__always)
    private func fill<Source: PageSource>(_ page: ObjectPage, from source: Source, isNew: Bool) {
        let missing = isNew ? page.clear(source.count) : lookUp(page, source)
        if missing < source.count { attach(page, source) }
        guard missing > 0 else {
            assert(page.isFilled(source.count))
            return
        }
        make(missing, of: page, source)
        let made = StoreClasses.areOpen ? page.new(source.count) : []
        let doubles = register(page, source)
        assert(page.isFilled(source.count), "a position is empty, or its object not registered")
        if !made.isEmpty {
            let registered = made.filter { page[$0.index] == $0.object }.map {
                ObjectKey(entity: source.entity(at: $0.index), key: source.key(at: $0.index))
            }
            notifyStores(registered, areRegistered: true)
        }
        guard !doubles.isEmpty else { return }
        attach(page, source)
        for double in doubles { Unmanaged<NSManagedObject>.fromOpaque(double).release() }
    }

    /// - Returns: the number of keys without a registered object.
    @inline(__always)
    private func lookUp<Source: PageSource>(_ page: ObjectPage, _ source: Source) -> Int {
        var missing = 0
        lock.withLock { _ in
            for index in 0..<source.count {
                let key = keyChanges.current(source.key(at: index))
                let root = roots[source.entity(at: index)]
                var found = tables[root][key]
                if let pointer = found {
                    if !faultline_try_retain(pointer) { found = nil }
                } else if parent != nil {
                    found = objectWithOtherKey(key, root: root).map {
                        Unmanaged.passRetained($0).toOpaque()
                    }
                }
                page[index] = UInt(bitPattern: found)
                if found == nil { missing += 1 }
            }
        }
        return missing
    }

    @inline(__always)
    private func make<Source: PageSource>(
        _ missing: Int, of page: ObjectPage, _ source: Source
    ) {
        let reference = Unmanaged.passUnretained(self)
        faultline_retain(reference.toOpaque(), UInt32(missing))
        source.retainRows(missing)
        for index in 0..<source.count where page[index] == 0 {
            let key = source.key(at: index)
            let object = page.put(
                makeFault(
                    entity: source.entity(at: index),
                    key: key < 0 ? lock.withLock { _ in keyChanges.current(key) } : key),
                at: index)
            object._withUnsafeGuaranteedRef {
                $0.registryReference = reference
                $0.cells = source.row(at: index)
            }
        }
    }

    /// Registers the objects that were created for a page. An object may already be registered: the
    /// page may contain its key twice, or code of the program may have created it meanwhile. The
    /// registered object then replaces the new one.
    ///
    /// - Returns: the new objects that were replaced.
    @inline(__always)
    private func register<Source: PageSource>(
        _ page: ObjectPage, _ source: Source
    ) -> [UnsafeMutableRawPointer] {
        var doubles: [UnsafeMutableRawPointer] = []
        lock.withLock { _ in
            for index in 0..<source.count where page[index] & ObjectPage.isNew != 0 {
                page[index] &= ~ObjectPage.isNew
                guard let made = UnsafeMutableRawPointer(bitPattern: page[index]) else { continue }
                let key = keyChanges.current(source.key(at: index))
                let root = roots[source.entity(at: index)]
                guard let old = tables[root].update(key, made), faultline_try_retain(old) else {
                    continue
                }
                tables[root].update(key, old)
                page[index] = UInt(bitPattern: old)
                doubles.append(made)
            }
        }
        return doubles
    }

    /// Attaches rows to the faults of a page that have another row.
    private func attach<Source: PageSource>(_ page: ObjectPage, _ source: Source) {
        for index in 0..<source.count {
            guard let cells = source.row(at: index),
                let pointer = UnsafeRawPointer(bitPattern: page[index])
            else { continue }
            Unmanaged<NSManagedObject>.fromOpaque(pointer)._withUnsafeGuaranteedRef { object in
                guard object.state.contains(.fault), object.cells != cells else { return }
                source.retainRows(1)
                object.take(cells)
            }
        }
    }

    /// The registered object of a row, not retained. Called under the lock.
    private func known(
        _ cells: UnsafeRawPointer, _ adopted: inout [NSManagedObject]
    ) -> UnsafeMutableRawPointer? {
        let key = keyChanges.current(RowFormat.key(cells))
        let root = roots[RowFormat.entity(cells)]
        if let pointer = tables[root][key] { return pointer }
        guard parent != nil, let object = objectWithOtherKey(key, root: root) else { return nil }
        adopted.append(object)
        return Unmanaged.passUnretained(object).toOpaque()
    }
}
