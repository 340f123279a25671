import Foundation
import Synchronization

/// Observers that implement a method for notifications, like those of
/// `addObserver(_:selector:name:object:)` on platforms with selectors.
extension NotificationCenter {
    /// Calls a method of the observer for notifications, until the observer is freed or removed.
    ///
    /// The observer is not kept alive. The method runs on the posting thread.
    ///
    /// - Parameters:
    ///   - observer: the object whose method is called.
    ///   - method: the method, as the expression `Type.method(_:)`.
    ///   - name: the name of the notifications; nil for all.
    ///   - object: the sender of the notifications; nil for any.
    public func addObserver<T: AnyObject>(
        _ observer: T, calling method: @escaping (T) -> (Notification) -> Void,
        name: Notification.Name?, object: Any?
    ) {
        SelectorObservers.add(observer, to: self, name, object) { method($0)($1) }
    }

    /// Registers a method that takes the notification as an object.
    @_disfavoredOverload
    public func addObserver<T: AnyObject>(
        _ observer: T, calling method: @escaping (T) -> (NSNotification) -> Void,
        name: Notification.Name?, object: Any?
    ) {
        SelectorObservers.add(observer, to: self, name, object) {
            method($0)($1._bridgeToObjectiveC())
        }
    }

    /// Registers a method without parameters.
    @_disfavoredOverload
    public func addObserver<T: AnyObject>(
        _ observer: T, calling method: @escaping (T) -> () -> Void,
        name: Notification.Name?, object: Any?
    ) {
        SelectorObservers.add(observer, to: self, name, object) { observer, _ in
            method(observer)()
        }
    }

    /// Registers a method that is isolated to the main actor. Notifications must be posted on the
    /// main thread; otherwise the process ends, as it does for such a method with a selector.
    public func addObserver<T: AnyObject>(
        _ observer: T, callingOnMainActor method: @escaping @MainActor (T, Notification) -> Void,
        name: Notification.Name?, object: Any?
    ) {
        SelectorObservers.add(observer, to: self, name, object) { observer, notification in
            MainActorCall.run(observer, notification, method)
        }
    }

    /// Ends the calls for the given notifications. Also accepts the result of
    /// `addObserver(forName:)`.
    ///
    /// - Parameters:
    ///   - name: the name of the notifications; nil for all.
    ///   - object: the sender of the notifications; nil for any.
    public func removeObservers(
        of observer: Any, name: Notification.Name? = nil, object: Any? = nil
    ) {
        SelectorObservers.remove(observer as AnyObject, from: self, name, object)
        removeObserver(observer, name: name, object: object)
    }
}

/// The registered methods, with the notifications for which they are called.
private enum SelectorObservers {
    // `@unchecked Sendable` because the notification centre creates tokens for use from any thread.
    private struct Entry: @unchecked Sendable {
        let center: ObjectIdentifier
        let observer: Observer
        let name: Notification.Name?
        let object: ObjectIdentifier?
        let token: any NSObjectProtocol
    }

    private static let entries = Mutex<[Entry]>([])

    // `@unchecked Sendable` because the reference is only read, and the poster decides on which
    // thread a method runs, as with selectors.
    private final class Observer: @unchecked Sendable {
        weak var object: AnyObject?
        let identifier: ObjectIdentifier
        let notify: (AnyObject, Notification) -> Void

        init(_ object: AnyObject, _ notify: @escaping (AnyObject, Notification) -> Void) {
            self.object = object
            identifier = ObjectIdentifier(object)
            self.notify = notify
        }
    }

    static func add<T: AnyObject>(
        _ object: T, to center: NotificationCenter, _ name: Notification.Name?, _ sender: Any?,
        _ notify: @escaping (T, Notification) -> Void
    ) {
        let observer = Observer(object) { notify(unsafeDowncast($0, to: T.self), $1) }
        let token = center.addObserver(forName: name, object: sender, queue: nil) { notification in
            guard let object = observer.object else { return }
            observer.notify(object, notification)
        }
        let entry = Entry(
            center: ObjectIdentifier(center), observer: observer, name: name,
            object: sender.map { ObjectIdentifier($0 as AnyObject) }, token: token)
        let gone = take(center) { $0.observer.object == nil }
        for entry in gone { center.removeObserver(entry.token) }
        entries.withLock { $0.append(entry) }
    }

    static func remove(
        _ object: AnyObject, from center: NotificationCenter, _ name: Notification.Name?,
        _ sender: Any?
    ) {
        let identifier = ObjectIdentifier(object)
        let sender = sender.map { ObjectIdentifier($0 as AnyObject) }
        let removed = take(center) { entry in
            entry.observer.identifier == identifier && (name == nil || entry.name == name)
                && (sender == nil || entry.object == sender)
        }
        for entry in removed { center.removeObserver(entry.token) }
    }

    /// Removes and returns registrations of the centre. Deallocated observers are determined first,
    /// because releasing one may run its deinitializer.
    private static func take(
        _ center: NotificationCenter, where isTaken: (Entry) -> Bool
    ) -> [Entry] {
        let identifier = ObjectIdentifier(center)
        return entries.withLock { list in
            let taken = list.filter { $0.center == identifier && isTaken($0) }
            list.removeAll { $0.center == identifier && isTaken($0) }
            return taken
        }
    }
}
