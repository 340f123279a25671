import Foundation

/// What Combine has for managed objects on Apple's systems, in a space of its own: a program's own
/// stand-in for Combine has the same names.
public enum CombineTypes {
    /// An object that says when it is about to change.
    ///
    /// Combine has a protocol of this name, which managed objects conform to on Apple's systems.
    public protocol ObservableObject: AnyObject {
        /// What says so.
        associatedtype ObjectWillChangePublisher = ObservableObjectPublisher
        /// Says that the object is about to change.
        var objectWillChange: ObjectWillChangePublisher { get }
    }

    /// Something that can be ended.
    public protocol Cancellable {
        /// Ends it.
        func cancel()
    }

    /// A subscription, which ends with this object.
    public final class AnyCancellable: Cancellable, Hashable {
        private let lock = NSLock()
        private var end: (() -> Void)?

        /// Makes a subscription that is ended by a function.
        public init(_ cancel: @escaping () -> Void) { end = cancel }

        /// Makes one of another.
        public convenience init<C: Cancellable>(_ canceller: C) { self.init(canceller.cancel) }

        deinit { end?() }

        /// Ends the subscription; from any thread, and as often as one likes.
        public func cancel() {
            let end = lock.withLock { () -> (() -> Void)? in
                defer { self.end = nil }
                return self.end
            }
            end?()
        }

        /// Keeps the subscription in a set.
        public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

        /// Keeps the subscription in a collection.
        public func store<C: RangeReplaceableCollection>(in collection: inout C)
        where C.Element == AnyCancellable {
            collection.append(self)
        }

        /// Subscriptions are equal when they are the same one.
        public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

        /// Hashes which subscription it is.
        public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    /// Says that its object is about to change, to those who have subscribed.
    public final class ObservableObjectPublisher {
        /// What subscribers are given: nothing but the call.
        public typealias Output = Void
        /// It never ends with an error.
        public typealias Failure = Never

        private let lock = NSLock()
        private var subscribers: [(id: UInt64, call: () -> Void)] = []
        private var lastID: UInt64 = 0

        /// Makes a publisher without subscribers.
        public init() {}

        /// Calls the subscribers in the order in which they came, on the caller's thread.
        public func send() {
            for subscriber in lock.withLock({ subscribers }) { subscriber.call() }
        }

        /// Calls a function before each change, until the result is cancelled or let go of.
        public func sink(receiveValue: @escaping (()) -> Void) -> AnyCancellable {
            let id = lock.withLock {
                lastID += 1
                subscribers.append((lastID, { receiveValue(()) }))
                return lastID
            }
            return AnyCancellable { [weak self] in self?.remove(id) }
        }

        private func remove(_ id: UInt64) {
            // Let go of outside the lock: its end may come back here.
            let removed = lock.withLock { () -> (() -> Void)? in
                guard let index = subscribers.firstIndex(where: { $0.id == id }) else { return nil }
                return subscribers.remove(at: index).call
            }
            withExtendedLifetime(removed) {}
        }
    }
}

// @unchecked Sendable because `lock` guards the function, which is called once.
extension CombineTypes.AnyCancellable: @unchecked Sendable {}

// @unchecked Sendable because `lock` guards the subscribers.
extension CombineTypes.ObservableObjectPublisher: @unchecked Sendable {}

extension CombineTypes.ObservableObject
where ObjectWillChangePublisher == CombineTypes.ObservableObjectPublisher {
    /// The object's publisher, which is made when it is first asked for.
    ///
    /// A class that conforms without a publisher of its own calls `objectWillChange.send()` before
    /// it changes; there is no `@Published` that does so.
    public var objectWillChange: CombineTypes.ObservableObjectPublisher {
        PublisherTable.shared.publisher(of: self)
    }
}

extension NSManagedObject: CombineTypes.ObservableObject {
    /// Says that a property of the model is about to change, by whatever way observers of keys are
    /// told of; see ``KeyValueObservable/observe(_:options:changeHandler:)``.
    ///
    /// On the queue of the object's context, as subscribers are called.
    public final var objectWillChange: CombineTypes.ObservableObjectPublisher {
        let entry = ObservationTable.shared.observed(self)
        if let publisher = entry.publisher { return publisher }
        let made = CombineTypes.ObservableObjectPublisher()
        entry.publisher = made
        return made
    }
}
