import CRuntimeShims
import CoreDataStore

/// Memory that the registry fills with retained objects for a list of keys.
///
/// Reference counts are changed once for each page, and pointers are written directly to the memory
/// of the resulting array. The caller owns the memory. When the page is filled, each position
/// contains an object.
struct ObjectPage {
    /// Marks an object that was created for the page and is not registered yet.
    static let isNew: UInt = 1

    private let places: UnsafeMutablePointer<UInt>

    init(_ memory: UnsafeMutablePointer<NSManagedObject>) {
        places = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: UInt.self)
    }

    /// The object's address; 0 if the position is empty.
    subscript(index: Int) -> UInt {
        @inline(__always) get { places[index] }
        @inline(__always) nonmutating set { places[index] = newValue }
    }

    /// Stores a newly created object and marks it as new.
    ///
    /// - Returns: the object, which the page keeps alive.
    @inline(__always)
    func put(_ made: consuming NSManagedObject, at index: Int) -> Unmanaged<NSManagedObject> {
        assert(places[index] == 0, "the previous object would never be released")
        // Moves the object into the page, which then owns the caller's reference.
        let place = UnsafeMutableRawPointer(places + index)
            .initializeMemory(as: NSManagedObject.self, to: made)
        let reference = Unmanaged.passUnretained(place.pointee)
        assert(places[index] & Self.isNew == 0, "the mark's bit is set in an address")
        places[index] |= Self.isNew
        return reference
    }

    /// The objects that are not registered yet, without the mark in their pointers.
    func new(_ count: Int) -> [(index: Int, object: UInt)] {
        (0..<count).filter { places[$0] & Self.isNew != 0 }.map { ($0, places[$0] & ~Self.isNew) }
    }

    func isFilled(_ count: Int) -> Bool {
        (0..<count).allSatisfy { places[$0] != 0 && places[$0] & Self.isNew == 0 }
    }

    /// Empties all positions.
    ///
    /// - Returns: the number of positions.
    func clear(_ count: Int) -> Int {
        for index in 0..<count { places[index] = 0 }
        return count
    }
}

/// The source of a page of objects: only keys, or a block of rows.
protocol PageSource {
    var count: Int { get }
    func key(at index: Int) -> Int64
    func entity(at index: Int) -> Int
    /// The object's row; nil if the source has only keys.
    func row(at index: Int) -> UnsafeRawPointer?
    /// Retains the blocks of the rows, once for each object that receives a row.
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
