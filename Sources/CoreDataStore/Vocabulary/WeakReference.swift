import CRuntimeShims
import Synchronization

/// A reference that does not keep its target alive; the target clears it in its `deinit`.
///
/// A `weak` reference would make retaining the target slower for its whole life, and each new
/// object of a context is created with the context as an argument.
@usableFromInline package final class WeakReference<Target: AnyObject>: Sendable {
    @usableFromInline let address = Mutex<UInt>(0)

    @inlinable package init() {}

    /// The target; nil once it is being released.
    @inlinable package var target: Target? {
        address.withLock { address in
            guard let pointer = UnsafeMutableRawPointer(bitPattern: address),
                faultline_try_retain(pointer)
            else { return nil }
            return Unmanaged<Target>.fromOpaque(pointer).takeRetainedValue()
        }
    }

    /// Whether the target has been freed, or is the given object. Retains nothing: otherwise a
    /// caller under a lock might release the last reference, and the target's `deinit` takes that
    /// lock.
    @inlinable package func isGone(or object: AnyObject) -> Bool {
        let other = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        return address.withLock { $0 == 0 || $0 == other }
    }

    @inlinable package func set(_ target: Target) {
        let pointer = Unmanaged.passUnretained(target).toOpaque()
        address.withLock { $0 = UInt(bitPattern: pointer) }
    }

    @inlinable package func clear() { address.withLock { $0 = 0 } }
}
