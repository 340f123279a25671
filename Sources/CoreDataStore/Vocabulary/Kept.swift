/// An object that one owner keeps and lends without counting references.
///
/// For what every fault goes through: a count is two atomic operations, and there would be a dozen
/// for each row that is read.
@usableFromInline package struct Kept<Object: AnyObject>: ~Copyable {
    @usableFromInline let reference: Unmanaged<Object>

    @inlinable package init(_ object: Object) { reference = .passRetained(object) }

    deinit { reference.release() }

    /// The object, with a reference of its own.
    @inlinable package var object: Object { reference.takeUnretainedValue() }

    /// Lends the object to the body, which must not have it let go.
    @inlinable @inline(__always)
    package func lend<T, E: Error>(_ body: (Object) throws(E) -> T) throws(E) -> T {
        try reference.lend(body)
    }
}

extension Unmanaged {
    /// Lends the object, which somebody keeps meanwhile, to the body without counting references.
    @inlinable @inline(__always)
    package func lend<T, E: Error>(_ body: (Instance) throws(E) -> T) throws(E) -> T {
        try _withUnsafeGuaranteedRef { object in
            Result { () throws(E) in try body(object) }
        }.get()
    }
}

// `@unchecked Sendable` because the reference never changes and its object guards itself.
extension Kept: @unchecked Sendable where Object: Sendable {}
