import Foundation

/// The parts of Combine that managed objects use on Apple's systems.
///
/// They have a separate namespace, because replacements for Combine declare types with the same
/// names.
public enum CombineTypes {
    /// An object that announces its changes.
    ///
    /// Combine has a protocol of this name, which managed objects conform to on Apple's systems.
    public protocol ObservableObject: AnyObject {
        /// The type of the publisher.
        associatedtype ObjectWillChangePublisher = ObservableObjectPublisher
        /// Emits when the object is about to change.
        var objectWillChange: ObjectWillChangePublisher { get }
    }

    /// Work that can be cancelled.
    public protocol Cancellable {
        /// Cancels the work.
        func cancel()
    }

    /// A subscription, which ends when this object is freed.
    public final class AnyCancellable: Cancellable, Hashable {
        private let lock = NSLock()
        private var end: (() -> Void)?

        /// Creates a subscription from the function that ends it.
        public init(_ cancel: @escaping () -> Void) { end = cancel }

        /// Creates a subscription that cancels another object.
        public convenience init<C: Cancellable>(_ canceller: C) { self.init(canceller.cancel) }

        deinit { end?() }

        /// Ends the subscription; may be called from any thread, repeatedly.
        public func cancel() {
            let end = lock.withLock { () -> (() -> Void)? in
                defer { self.end = nil }
                return self.end
            }
            end?()
        }

        /// Stores the subscription in a set.
        public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

        /// Stores the subscription in a collection.
        public func store<C: RangeReplaceableCollection>(in collection: inout C)
        where C.Element == AnyCancellable {
            collection.append(self)
        }

        /// Subscriptions are equal if they are identical.
        public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

        /// Hashes the subscription's identity.
        public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    /// Notifies subscribers that the object with this publisher is about to change.
    public final class ObservableObjectPublisher {
        /// The publisher sends no value.
        public typealias Output = Void
        /// The publisher never fails.
        public typealias Failure = Never

        private let lock = NSLock()
        private var subscribers: [(id: UInt64, call: () -> Void)] = []
        private var lastID: UInt64 = 0

        /// Creates a publisher without subscribers.
        public init() {}

        /// Calls the subscribers in the order of their subscription, on the caller's thread.
        public func send() {
            for subscriber in lock.withLock({ subscribers }) { subscriber.call() }
        }

        /// Calls a function before each change, until the result is cancelled or released.
        public func sink(receiveValue: @escaping (()) -> Void) -> AnyCancellable {
            let id = lock.withLock {
                lastID += 1
                subscribers.append((lastID, { receiveValue(()) }))
                return lastID
            }
            return AnyCancellable { [weak self] in self?.remove(id) }
        }

        private func remove(_ id: UInt64) {
            // Releasing the function may call this method, so it is released outside of the lock.
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
    /// The object's publisher, created when it is first read.
    ///
    /// A class that declares no publisher must call `objectWillChange.send()` before each change.
    /// In Combine, `@Published` calls it, which does not exist here.
    public var objectWillChange: CombineTypes.ObservableObjectPublisher {
        PublisherTable.shared.publisher(of: self)
    }
}

extension NSManagedObject: CombineTypes.ObservableObject {
    /// Emits when a property of the model is about to change, for the same changes that key
    /// observers receive; see ``KeyValueObservable/observe(_:options:changeHandler:)``.
    ///
    /// Use it on the queue of the object's context; subscribers are called on that queue.
    public final var objectWillChange: CombineTypes.ObservableObjectPublisher {
        let entry = ObservationTable.shared.observed(self)
        if let publisher = entry.publisher { return publisher }
        let made = CombineTypes.ObservableObjectPublisher()
        entry.publisher = made
        return made
    }
}
