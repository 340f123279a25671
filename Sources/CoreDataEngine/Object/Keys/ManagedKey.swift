import CoreDataModel
import Foundation
import Synchronization

/// The name of a property, with a cache of the property's slots in the entities with which the key
/// was used.
///
/// An accessor stores its key as a constant and passes it to ``NSManagedObject/managedValue(_:)``.
/// The name is looked up once for each entity. Later accesses make one comparison more than
/// ``NSManagedObject/read(_:)``. A key may be used from any thread.
public final class ManagedKey: Sendable {
    /// The property's name in the model.
    public let name: String
    // Each word contains the address of an entity and, in its lowest 16 bits, the slot. A thread
    // reads both atomically, because they are in one word. Entities live as long as the program.
    @usableFromInline let first = Atomic<UInt>(0)
    private let second = Atomic<UInt>(0)
    private let third = Atomic<UInt>(0)

    /// Creates a key for the property of the name.
    public init(_ name: String) { self.name = name }

    private static var slotBits: UInt { 16 }
    private static var slotMask: UInt { 0xFFFF }

    /// The slot in the entity. The body looks it up if it is not cached.
    ///
    /// - Parameter body: returns nil if the property must be accessed by its name; nil is not
    ///   cached.
    func slot(ofEntityAt address: UInt, lookingUp body: () -> Int?) -> Int? {
        if let known = known(first, address) ?? known(second, address) ?? known(third, address) {
            return known
        }
        guard let slot = body(), slot < Int(Self.slotMask) else { return nil }
        remember(address &<< Self.slotBits | UInt(slot))
        return slot
    }

    private func known(_ place: borrowing Atomic<UInt>, _ address: UInt) -> Int? {
        let word = place.load(ordering: .relaxed)
        return word &>> Self.slotBits == address ? Int(word & Self.slotMask) : nil
    }

    /// Stores the word at the first position, so that the entity that was used last is found
    /// fastest. This helps, for example, tests that load a model many times. If two threads store
    /// words at the same time, one word may be lost. It is then looked up again.
    private func remember(_ word: UInt) {
        third.store(second.load(ordering: .relaxed), ordering: .relaxed)
        second.store(first.load(ordering: .relaxed), ordering: .relaxed)
        first.store(word, ordering: .relaxed)
    }
}

extension ManagedKey: CustomStringConvertible {
    /// The property's name.
    public var description: String { name }
}
