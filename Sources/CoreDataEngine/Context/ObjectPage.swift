import CRuntimeShims
import CoreDataStore

/// Where the objects of some keys are put, each retained, as the registry finds or makes them.
///
/// Counting references once for a page, and writing pointers straight to where an array will have
/// them, is what makes fetching fast. The page is memory of the caller's; when the registry has
/// filled it, there is an object in every place.
struct ObjectPage {
    /// Marks an object that was made for the page and is not registered yet.
    static let isNew: UInt = 1

    private let places: UnsafeMutablePointer<UInt>

    init(_ memory: UnsafeMutablePointer<NSManagedObject>) {
        places = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: UInt.self)
    }

    /// The object's address, 0 where there is none yet.
    subscript(index: Int) -> UInt {
        @inline(__always) get { places[index] }
        @inline(__always) nonmutating set { places[index] = newValue }
    }

    /// Puts an object in that was just made, and marks it as new.
    ///
    /// - Returns: the object, which the page keeps alive.
    @inline(__always)
    func put(_ made: consuming NSManagedObject, at index: Int) -> Unmanaged<NSManagedObject> {
        assert(places[index] == 0, "the object that is there would never be released")
        // Moved, so that the reference it was made with becomes the page's.
        let place = UnsafeMutableRawPointer(places + index)
            .initializeMemory(as: NSManagedObject.self, to: made)
        let reference = Unmanaged.passUnretained(place.pointee)
        assert(places[index] & Self.isNew == 0, "the mark is a bit that addresses do not use")
        places[index] |= Self.isNew
        return reference
    }

    /// The objects that are not registered yet, without their mark.
    func new(_ count: Int) -> [(index: Int, object: UInt)] {
        (0..<count).filter { places[$0] & Self.isNew != 0 }.map { ($0, places[$0] & ~Self.isNew) }
    }

    /// Whether there is a registered object in each place.
    func isFilled(_ count: Int) -> Bool {
        (0..<count).allSatisfy { places[$0] != 0 && places[$0] & Self.isNew == 0 }
    }

    /// - Returns: how many objects are missing now.
    func clear(_ count: Int) -> Int {
        for index in 0..<count { places[index] = 0 }
        return count
    }
}

/// What a page of objects is made from: keys alone, or a block of rows.
protocol PageSource {
    var count: Int { get }
    func key(at index: Int) -> Int64
    func entity(at index: Int) -> Int
    /// The object's row, where there are rows.
    func row(at index: Int) -> UnsafeRawPointer?
    /// Retains what the rows are in, once for each object that is given one.
    func retainRows(_ count: Int)
}

extension ContiguousArray<ObjectKey>: PageSource {
    func key(at index: Int) -> Int64 { self[index].key }
    func entity(at index: Int) -> Int { Int(self[index].entity) }
    func row(at index: Int) -> UnsafeRawPointer? { nil }
    func retainRows(_ count: Int) {}
}

/// Keys of one entity.
struct EntityKeys: PageSource {
    let entity: Int
    let keys: ContiguousArray<Int64>

    var count: Int { keys.count }
    func key(at index: Int) -> Int64 { keys[index] }
    func entity(at index: Int) -> Int { entity }
    func row(at index: Int) -> UnsafeRawPointer? { nil }
    func retainRows(_ count: Int) {}
}

extension RowBlock: PageSource {
    func key(at index: Int) -> Int64 { RowFormat.key(cells(at: index)) }
    func entity(at index: Int) -> Int { RowFormat.entity(cells(at: index)) }
    func row(at index: Int) -> UnsafeRawPointer? { cells(at: index) }

    func retainRows(_ count: Int) {
        faultline_retain(Unmanaged.passUnretained(self).toOpaque(), UInt32(count))
    }
}
