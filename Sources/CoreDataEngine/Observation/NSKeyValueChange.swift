import CoreDataTrace
import Foundation

/// Options that determine the content and the time of an observer's notifications.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: UInt

    /// Creates options from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Notifications contain the new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// Notifications contain the old value.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// The observer is called once with the current value, before the registration returns.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// The observer is also called before each change.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The kind of a change.
public enum NSKeyValueChange: UInt, Sendable {
    /// The value was replaced.
    case setting = 1
    /// Members were added to a relationship.
    case insertion = 2
    /// Members were removed from a relationship.
    case removal = 3
    /// Members of a relationship were replaced.
    case replacement = 4
}

/// A key of the dictionary that describes a change.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    /// The key as a string.
    public let rawValue: String

    /// Creates a key from a string.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The raw value of the ``NSKeyValueChange``, a number.
    public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
    /// The new value, or `NSNull`; for added members, a set, or an array in their order.
    public static let newKey = NSKeyValueChangeKey(rawValue: "new")
    /// The old value, or `NSNull`; for removed members, a set, or an array in their order.
    public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
    /// The indexes of the members of an ordered relationship, an `IndexSet`.
    public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
    /// True in a notification that is sent before the change.
    public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}

/// A change of one property, as passed to the function of `observe`.
public struct NSKeyValueObservedChange<Value> {
    /// The kind of a change.
    public typealias Kind = NSKeyValueChange

    /// The kind of this change.
    public let kind: Kind
    /// The new value with ``NSKeyValueObservingOptions/new``, or the added members.
    ///
    /// For an optional property, the value is an optional inside another optional.
    public let newValue: Value?
    /// The old value with ``NSKeyValueObservingOptions/old``, or the removed members.
    public let oldValue: Value?
    /// The indexes of added or removed members, if the relationship is ordered.
    public let indexes: IndexSet?
    /// Whether the change is about to happen; see ``NSKeyValueObservingOptions/prior``.
    public let isPrior: Bool
}

/// An observer of key paths by name.
///
/// On Apple's systems, `NSObject` has the method, and classes override it. Here a class conforms to
/// this protocol and declares the method without `override`. The plugin `CoreDataSources` rewrites
/// classes accordingly.
public protocol KeyValueObserver: AnyObject {
    /// Called for a change of a key path that was passed to
    /// `NSManagedObject.addObserver(_:forKeyPath:options:context:)`; on the queue of the object's
    /// context.
    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?)
}

extension KeyValueObserver {
    /// Logs a change that the class does not expect.
    ///
    /// A conforming class calls it where a class on Apple's systems calls `super.observeValue(…)`,
    /// which raises an exception there.
    public func observeUnhandledValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        EngineLog.error(
            "An observeValue(forKeyPath:of:change:context:) call was received but not handled."
                + " Key path: \(keyPath ?? "nil"); observer: \(type(of: self)).")
    }
}

/// An observation by a function; it ends with ``invalidate()`` or when this object is freed.
public final class NSKeyValueObservation: NSObject {
    private let observation: KeyObservation?

    /// - Parameter observation: nil if nothing is observed.
    init(_ observation: KeyObservation?) { self.observation = observation }

    deinit { invalidate() }

    /// Ends the observation; may be called from any thread, repeatedly.
    public func invalidate() {
        if let observation { ObservationTable.shared.remove(observation) }
    }
}

// @unchecked Sendable because the lock of the `ObservationTable` guards the observation.
extension NSKeyValueObservation: @unchecked Sendable {}
