import CoreDataTrace
import Foundation

/// What an observer of a key is told, and when.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Makes options of bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Changes have the new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// Changes have the old value.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// The observer is called once, with the value that there is, before it is registered.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// The observer is called before each change as well.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// How a value has changed.
public enum NSKeyValueChange: UInt, Sendable {
    /// The value is another one.
    case setting = 1
    /// A relationship has got members.
    case insertion = 2
    /// A relationship has lost members.
    case removal = 3
    /// Members of a relationship gave way to others.
    case replacement = 4
}

/// A key of the dictionary that tells an observer of a change.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    /// The text of the key.
    public let rawValue: String

    /// Makes a key of its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The raw value of the ``NSKeyValueChange``, a number.
    public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
    /// The new value, or `NSNull`; of members that came, a set, or an array in their order.
    public static let newKey = NSKeyValueChangeKey(rawValue: "new")
    /// The old value, or `NSNull`; of members that went, a set, or an array in their order.
    public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
    /// The places of the members of an ordered relationship, an `IndexSet`.
    public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
    /// True in what is told before the change.
    public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}

/// A change of one property, as the function that was given to `observe` is told of it.
public struct NSKeyValueObservedChange<Value> {
    /// How a value has changed.
    public typealias Kind = NSKeyValueChange

    /// How the value has changed.
    public let kind: Kind
    /// The new value with ``NSKeyValueObservingOptions/new``; the members that came, if some did.
    ///
    /// Of an optional property it is an optional in an optional.
    public let newValue: Value?
    /// The old value with ``NSKeyValueObservingOptions/old``; the members that went, if some did.
    public let oldValue: Value?
    /// The places of members that came or went, where the relationship is ordered.
    public let indexes: IndexSet?
    /// Whether the change is about to happen; see ``NSKeyValueObservingOptions/prior``.
    public let isPrior: Bool
}

/// Who is told by name of changes of the keys that it observes.
///
/// Where Apple's `NSObject` has the method and a class overrides it, a class here conforms and has
/// the method without `override`. The plugin `CoreDataSources` writes it so.
public protocol KeyValueObserver: AnyObject {
    /// Tells of a change of a key path that was given to
    /// `NSManagedObject.addObserver(_:forKeyPath:options:context:)`; on the queue of the object's
    /// context.
    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?)
}

extension KeyValueObserver {
    /// Tells the log of a change that the class does not expect: what `super.observeValue(…)` comes
    /// to in the class that conforms. `NSObject` raises an exception there.
    public func observeUnhandledValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        EngineLog.error(
            "An observeValue(forKeyPath:of:change:context:) call was received but not handled."
                + " Key path: \(keyPath ?? "nil"); observer: \(type(of: self)).")
    }
}

/// One observation by a function, which ends with ``invalidate()`` or with this object.
public final class NSKeyValueObservation: NSObject {
    private let observation: KeyObservation?

    /// - Parameter observation: nil where there is nothing to be told.
    init(_ observation: KeyObservation?) { self.observation = observation }

    deinit { invalidate() }

    /// Ends the observation; from any thread, and as often as one likes.
    public func invalidate() {
        if let observation { ObservationTable.shared.remove(observation) }
    }
}

// @unchecked Sendable because the lock of the `ObservationTable` guards what it does.
extension NSKeyValueObservation: @unchecked Sendable {}
