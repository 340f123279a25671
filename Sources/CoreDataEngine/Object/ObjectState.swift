/// The state bits of a managed object.
///
/// One word is tested before every fast read: an object whose word has none of `slowPath` is
/// realised, unchanged and readable directly from its row.
@usableFromInline
package struct ObjectState: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt32

    @usableFromInline
    @inline(__always)
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Values have not been read (a row may be attached nevertheless).
    package static let fault = ObjectState(rawValue: 1 << 0)
    /// Some values differ from the row, or the object has no row.
    package static let pending = ObjectState(rawValue: 1 << 1)
    /// Every access is checked against the context's queue.
    package static let checked = ObjectState(rawValue: 1 << 2)
    /// The context was reset, or the row does not exist: values are not available.
    package static let invalidated = ObjectState(rawValue: 1 << 3)
    package static let inaccessible = ObjectState(rawValue: 1 << 4)
    /// A listener receives the program's accesses to the object; see `ContextListener`.
    package static let heard = ObjectState(rawValue: 1 << 5)

    package static let inserted = ObjectState(rawValue: 1 << 8)
    package static let updated = ObjectState(rawValue: 1 << 9)
    package static let deleted = ObjectState(rawValue: 1 << 10)
    /// The object is deleted, and its delete rules have been applied.
    package static let propagated = ObjectState(rawValue: 1 << 11)
    /// This bit and the next three: the current event has inserted, updated, deleted or refreshed
    /// the object.
    package static let eventInserted = ObjectState(rawValue: 1 << 12)
    package static let eventUpdated = ObjectState(rawValue: 1 << 13)
    package static let eventDeleted = ObjectState(rawValue: 1 << 14)
    package static let eventRefreshed = ObjectState(rawValue: 1 << 15)
    /// The object is checked for conflicts although it is unchanged.
    package static let locked = ObjectState(rawValue: 1 << 16)
    /// A merge deleted the object: its row no longer exists, so a save writes nothing for it.
    package static let deletedByMerge = ObjectState(rawValue: 1 << 17)
    /// Another context deleted the row, and a policy restores it.
    package static let resurrected = ObjectState(rawValue: 1 << 18)
    /// Callbacks may set values without recording them (`awakeFromFetch`).
    package static let quiet = ObjectState(rawValue: 1 << 19)
    /// The object's keys are or were observed; see `ObservationTable`.
    package static let observed = ObjectState(rawValue: 1 << 20)
    /// The object is in a list of the `ChangeTracker`, even if it no longer belongs there.
    package static let listedAsInserted = ObjectState(rawValue: 1 << 21)
    package static let listedAsUpdated = ObjectState(rawValue: 1 << 22)
    package static let listedAsDeleted = ObjectState(rawValue: 1 << 23)

    package static let slowPath: ObjectState = [
        .fault, .pending, .checked, .invalidated, .inaccessible, .heard,
    ]
    /// The object must be prepared or rejected before its values may be used.
    package static let unready: ObjectState = [.fault, .checked, .invalidated]
    package static let changed: ObjectState = [.inserted, .updated, .deleted]
    package static let listed: ObjectState = [
        .listedAsInserted, .listedAsUpdated, .listedAsDeleted,
    ]
    package static let event: ObjectState = [
        .eventInserted, .eventUpdated, .eventDeleted, .eventRefreshed,
    ]

    /// `slowPath` as a number, for inlined code.
    @inlinable static var slowPathBits: UInt32 { 0b111111 }
}
