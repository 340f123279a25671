/// An object that one owner keeps alive and lends without counting references.
///
/// Used for objects that every fault uses: retaining and releasing an object takes two atomic
/// operations, and reading one row would need a dozen of them.
@usableFromInline package struct RetainedObject<Object: AnyObject>: ~Copyable {
    @usableFromInline let reference: Unmanaged<Object>

    @inlinable package init(_ object: Object) { reference = .passRetained(object) }

    deinit { reference.release() }

    /// The object, with a new reference.
    @inlinable package var object: Object { reference.takeUnretainedValue() }

    /// Lends the object to the body, which must not release the owner's reference.
    @inlinable @inline(__always)
    package func lend<T, E: Error>(_ body: (Object) throws(E) -> T) throws(E) -> T {
        try reference.lend(body)
    }
}

extension Unmanaged {
    /// Lends the object, which the caller keeps alive, to the body without counting references.
    @inlinable @inline(__always)
    package func lend<T, E: Error>(_ body: (Instance) throws(E) -> T) throws(E) -> T {
        try _withUnsafeGuaranteedRef { object in
            Result { () throws(E) in try body(object) }
        }.get()
    }
}

// `@unchecked Sendable` because the reference never changes and its object synchronizes itself.
extension RetainedObject: @unchecked Sendable where Object: Sendable {}
