import CoreDataStore

/// Loops over lists of objects. A save runs many of them, over many objects.
///
/// A list keeps its objects alive, so the loops do not retain each object. Retaining an object
/// usually costs more than the work on it.
extension ContiguousArray<NSManagedObject> {
    @inline(__always)
    func eachUnretained(_ body: (NSManagedObject) -> Void) {
        withUnsafeBytes { bytes in
            let objects = bytes.assumingMemoryBound(to: Unmanaged<NSManagedObject>.self)
            for object in objects { object._withUnsafeGuaranteedRef(body) }
        }
    }

    /// Calls the body with each object, in order, until it throws an error.
    @inline(__always)
    func eachUnretained<E: Error>(_ body: (NSManagedObject) throws(E) -> Void) throws(E) {
        var index = startIndex
        while index < endIndex {
            let object = withUnsafeBytes { bytes in
                bytes.assumingMemoryBound(to: Unmanaged<NSManagedObject>.self)[index]
            }
            try object.lend(body)
            index += 1
        }
    }

    @inline(__always)
    func lend(_ index: Int, _ body: (NSManagedObject) -> Void) {
        withUnsafeBytes { bytes in
            bytes.assumingMemoryBound(to: Unmanaged<NSManagedObject>.self)[index]
                ._withUnsafeGuaranteedRef(body)
        }
    }

    var objectKeys: ContiguousArray<ObjectKey> {
        var keys = ContiguousArray<ObjectKey>()
        keys.reserveCapacity(count)
        eachUnretained { keys.append($0.objectKey) }
        return keys
    }

    @inline(__always)
    func allMeet(_ condition: (NSManagedObject) -> Bool) -> Bool {
        withUnsafeBytes { bytes in
            let objects = bytes.assumingMemoryBound(to: Unmanaged<NSManagedObject>.self)
            return objects.allSatisfy { $0._withUnsafeGuaranteedRef(condition) }
        }
    }

    /// The objects for which the condition holds. Copies nothing if it holds for all.
    @inline(__always)
    func keeping(_ condition: (NSManagedObject) -> Bool) -> Self {
        allMeet(condition) ? self : Self(filter(condition))
    }

    /// Removes the objects for which the condition does not hold. Copies nothing if it holds for
    /// all or for none.
    @inline(__always)
    mutating func keep(_ condition: (NSManagedObject) -> Bool) {
        if allMeet(condition) { return }
        if allMeet({ !condition($0) }) {
            self = []
        } else {
            removeAll { !condition($0) }
        }
    }

    /// The concatenation of both lists. Copies nothing if one of them is empty.
    func followed(by other: Self) -> Self {
        if isEmpty { return other }
        return other.isEmpty ? self : self + other
    }
}
