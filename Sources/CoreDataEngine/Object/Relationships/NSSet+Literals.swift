import CoreDataTrace
import Foundation

/// A class of sets that array literals create.
///
/// The class itself cannot declare the initialiser: it would have to be required, and an extension
/// of a class cannot contain a required initialiser.
public protocol SetLiteral {}

extension SetLiteral where Self: NSSet {
    /// Creates a set of the elements, as in `book.tags = [old, rare]`.
    public init(arrayLiteral elements: Any...) {
        let made: NSSet =
            switch Self.self {
            case is NSCountedSet.Type: NSCountedSet(array: elements)
            case is NSMutableSet.Type: NSMutableSet(array: elements)
            default: NSSet(array: elements)
            }
        guard let made = made as? Self else {
            trap("an array literal cannot create a \(Self.self); use one of its initialisers")
        }
        self = made
    }
}

extension NSSet: SetLiteral {}

// On Apple's systems Foundation declares this conformance.
extension NSSet: @retroactive ExpressibleByArrayLiteral {}
