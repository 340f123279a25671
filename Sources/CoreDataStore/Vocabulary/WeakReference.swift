import CRuntimeShims
import Synchronization

/// A reference that does not keep its target alive. The target clears it in `deinit`.
///
/// A `weak` reference would permanently slow down retaining the target, and creating an object
/// retains its context.
@usableFromInline package final class WeakReference<Target: AnyObject>: Sendable {
    @usableFromInline let address = Mutex<UInt>(0)

    @inlinable package init() {}

    /// The target; nil once its deinitialization has begun.
    @inlinable package var target: Target? {
        address.withLock { address in
            guard let pointer = UnsafeMutableRawPointer(bitPattern: address),
                faultline_try_retain(pointer)
            else { return nil }
            return Unmanaged<Target>.fromOpaque(pointer).takeRetainedValue()
        }
    }

    /// Whether the target was freed, or is the given object. The target is not retained: releasing
    /// it again could run its `deinit` under a lock that `deinit` also takes.
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
