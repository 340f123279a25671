import CoreDataModel
import Foundation
import Synchronization

/// The name of a property, which remembers the slot that it has in the entities that it met.
///
/// An accessor keeps one as a constant and passes it to ``NSManagedObject/managedValue(_:)``. The
/// name is looked up once per entity; afterwards an access costs what ``NSManagedObject/read(_:)``
/// does and one comparison. It may be used from any thread.
public final class ManagedKey: Sendable {
    /// The property's name in the model.
    public let name: String
    // Each word is the address of an entity, which lives as long as the program, and the slot in
    // its lowest 16 bits. A word holds both, so that no reader meets one without the other.
    @usableFromInline let first = Atomic<UInt>(0)
    private let second = Atomic<UInt>(0)
    private let third = Atomic<UInt>(0)

    /// Makes a key for the property of the name.
    public init(_ name: String) { self.name = name }

    private static var slotBits: UInt { 16 }
    private static var slotMask: UInt { 0xFFFF }

    /// The slot of the entity, looked up by the body where it is not known yet.
    ///
    /// - Parameter body: gives nil where the property is to be reached by its name; that answer
    ///   is not remembered.
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

    /// Puts the word in front, where it is found fastest: programs that load a model anew, as tests
    /// do, go on with the newest. Two threads that do so at once may lose a word, which is looked
    /// up again.
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
