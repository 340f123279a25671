/// Retains an object and passes it to closures without changing its reference count.
///
/// Used for objects that every fault needs. Retaining and releasing an object takes two atomic
/// operations, and reading one row would otherwise need a dozen.
@usableFromInline package struct RetainedObject<Object: AnyObject>: ~Copyable {
    @usableFromInline let reference: Unmanaged<Object>

    @inlinable package init(_ object: Object) { reference = .passRetained(object) }

    deinit { reference.release() }

    /// The object, with a new reference.
    @inlinable package var object: Object { reference.takeUnretainedValue() }

    /// Passes the object to the body, which must not release the owner's reference.
    @inlinable @inline(__always)
    package func lend<T, E: Error>(_ body: (Object) throws(E) -> T) throws(E) -> T {
        try reference.lend(body)
    }
}

extension Unmanaged {
    /// Passes the object to the body without changing its reference count. The caller keeps the
    /// object alive.
    @inlinable @inline(__always)
    package func lend<T, E: Error>(_ body: (Instance) throws(E) -> T) throws(E) -> T {
        try _withUnsafeGuaranteedRef { object in
            Result { () throws(E) in try body(object) }
        }.get()
    }
}

// `@unchecked Sendable` because the reference never changes and its object synchronizes itself.
extension RetainedObject: @unchecked Sendable where Object: Sendable {}
