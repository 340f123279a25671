/// The state bits of a managed object.
///
/// Every fast read first tests these bits. An object with no bit of `slowPath` is realised and
/// unchanged, so its values can be read directly from its row.
@usableFromInline
package struct ObjectState: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt32

    @usableFromInline
    @inline(__always)
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The values have not been read, although the object may already have a row.
    package static let fault = ObjectState(rawValue: 1 << 0)
    /// Some values differ from the row, or the object has no row.
    package static let pending = ObjectState(rawValue: 1 << 1)
    /// Every access is checked against the context's queue.
    package static let checked = ObjectState(rawValue: 1 << 2)
    /// The context was reset, or the row does not exist: values are not available.
    package static let invalidated = ObjectState(rawValue: 1 << 3)
    package static let inaccessible = ObjectState(rawValue: 1 << 4)
    /// A `ContextListener` receives the program's accesses to the object.
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
    /// The save checks the object for conflicts even if the object is unchanged.
    package static let locked = ObjectState(rawValue: 1 << 16)
    /// A merge deleted the object. Its row no longer exists, so a save writes nothing for it.
    package static let deletedByMerge = ObjectState(rawValue: 1 << 17)
    /// Another context deleted the row, and a merge policy restores it.
    package static let resurrected = ObjectState(rawValue: 1 << 18)
    /// Values can be set without recording a change, as in `awakeFromFetch`.
    package static let quiet = ObjectState(rawValue: 1 << 19)
    /// The object's keys are or were observed; see `ObservationTable`.
    package static let observed = ObjectState(rawValue: 1 << 20)
    /// This bit and the next two: a list of the `ChangeTracker` contains the object. The object may
    /// no longer belong in that list; the next clean-up then removes it.
    package static let listedAsInserted = ObjectState(rawValue: 1 << 21)
    package static let listedAsUpdated = ObjectState(rawValue: 1 << 22)
    package static let listedAsDeleted = ObjectState(rawValue: 1 << 23)

    package static let slowPath: ObjectState = [
        .fault, .pending, .checked, .invalidated, .inaccessible, .heard,
    ]
    /// An access to the values must first fire the fault, check the queue or fail.
    package static let unready: ObjectState = [.fault, .checked, .invalidated]
    package static let changed: ObjectState = [.inserted, .updated, .deleted]
    package static let listed: ObjectState = [
        .listedAsInserted, .listedAsUpdated, .listedAsDeleted,
    ]
    package static let event: ObjectState = [
        .eventInserted, .eventUpdated, .eventDeleted, .eventRefreshed,
    ]

    @inlinable static var slowPathBits: UInt32 { 0b111111 }
}
