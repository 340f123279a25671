/// The small faults that the mutation gate puts into the engine, one at a time, to check that the
/// lab's scenarios notice them. The engine checks ``mutant(_:)`` at some points.
///
/// Only debug builds have the switch; in other builds the check is the constant false, which leaves
/// no code.
package enum Mutant: String, Sendable, CaseIterable {
    /// A save keeps the version of a changed row.
    case skipVersionBump
    /// A save compares no versions.
    case ignoreRowConflicts
    /// A save only compares versions in the row cache.
    case ignoreStoreConflicts
    /// The row cache does not receive a save's rows.
    case rowCacheMissesSaves
    /// The row cache keeps rows that a save deleted.
    case rowCacheKeepsDeletedRows
    /// A merge leaves updated objects unchanged.
    case mergeIgnoresUpdates
    /// A merge leaves deleted objects unchanged.
    case mergeIgnoresDeletes
    /// A merge drops the unsaved changes of updated objects.
    case mergeDropsChanges
    /// Contexts that merge automatically are not notified of a save.
    case saveIsNotAnnounced
    /// A nested context that merges automatically reads the saved rows from its parent.
    case mergeAsksTheParent
    /// ObjectTrump also writes properties that the object did not change.
    case objectTrumpOverwrites
    /// StoreTrump lets the object win.
    case storeTrumpKeepsChanges
    /// Overwrite keeps properties that the store changed.
    case overwriteMerges
    /// The rollback policy lets the object win.
    case rollbackKeepsChanges
    /// The error policy lets the store win without an error.
    case errorPolicyIsSilent
    /// Overwrite does not bring back a deleted row.
    case overwriteLetsDeletionsWin
    /// ObjectTrump gives up a deletion of a changed row.
    case updateBeatsDeletion
    /// The other side of a relationship is not updated with a new link.
    case skipInverse
    /// The other side of a relationship is not updated with a lost link.
    case skipInverseRemoval
    /// A new link does not make the other side take part in the save.
    case linkEnlistsNobody
    /// Delete rules are not followed.
    case deletesDoNotPropagate
    /// Cascade only nullifies.
    case cascadeNullifies
    /// A duplicate's nil properties do not become nil.
    case foldKeepsFilledValues
    /// A duplicate under objectTrump leaves the survivor unchanged.
    case foldDropsValues
    /// A child does not pass its updates to its parent.
    case childSaveLosesUpdates
    /// A child does not pass its deletions to its parent.
    case childSaveLosesDeletes
    /// A fetch does not see unsaved new objects.
    case fetchForgetsInserts
    /// A fetch still sees unsaved deletions.
    case fetchForgetsDeletes
    /// A fault is fired with its attached row, even if the row is old.
    case faultsTakeOldRows
    /// A failed save drops its changes.
    case failedSaveDropsChanges
    /// Rollback() leaves changes unchanged.
    case rollbackKeepsObjects
    /// Refresh(_:mergeChanges: true) does not read a newer row.
    case refreshKeepsOldRows
    /// DetectConflicts(for:) is ignored by the next save.
    case detectionIsForgotten

    /// The faulty behaviour.
    package var meaning: String {
        switch self {
        case .skipVersionBump: "a save gives a changed row the version that it had"
        case .ignoreRowConflicts: "a save looks at no versions"
        case .ignoreStoreConflicts: "a save looks at versions in the row cache alone"
        case .rowCacheMissesSaves: "the row cache is not told what a save wrote"
        case .rowCacheKeepsDeletedRows: "the row cache keeps rows that a save deleted"
        case .mergeIgnoresUpdates: "a merge leaves updated objects as they were"
        case .mergeIgnoresDeletes: "a merge leaves deleted objects as they were"
        case .mergeDropsChanges: "a merge drops the unsaved changes of updated objects"
        case .saveIsNotAnnounced: "contexts that merge by themselves do not hear of a save"
        case .mergeAsksTheParent: "a nested context's own merge reads rows from its parent"
        case .objectTrumpOverwrites: "objectTrump writes what the object did not change, too"
        case .storeTrumpKeepsChanges: "storeTrump lets the object win"
        case .overwriteMerges: "overwrite keeps what the store changed"
        case .rollbackKeepsChanges: "the rollback policy lets the object win"
        case .errorPolicyIsSilent: "the error policy lets the store win and says nothing"
        case .overwriteLetsDeletionsWin: "overwrite does not bring back a deleted row"
        case .updateBeatsDeletion: "objectTrump gives up a deletion of a changed row"
        case .skipInverse: "the other side of a relationship is not told of a new link"
        case .skipInverseRemoval: "the other side of a relationship is not told of a lost link"
        case .linkEnlistsNobody: "a new link does not make the other side take part in the save"
        case .deletesDoNotPropagate: "delete rules are not followed"
        case .cascadeNullifies: "cascade only nullifies"
        case .foldKeepsFilledValues: "a duplicate does not blank what it left nil"
        case .foldDropsValues: "a duplicate under objectTrump leaves the survivor as it was"
        case .childSaveLosesUpdates: "a child does not pass its updates to its parent"
        case .childSaveLosesDeletes: "a child does not pass its deletions to its parent"
        case .fetchForgetsInserts: "a fetch does not see unsaved new objects"
        case .fetchForgetsDeletes: "a fetch sees unsaved deletions still"
        case .faultsTakeOldRows: "a fault is fired with the row it came with, however old"
        case .failedSaveDropsChanges: "a failed save drops what it could not save"
        case .rollbackKeepsObjects: "rollback() leaves changes as they are"
        case .refreshKeepsOldRows: "refresh(_:mergeChanges: true) does not look for a newer row"
        case .detectionIsForgotten: "detectConflicts(for:) is ignored by the next save"
        }
    }
}

#if FAULTLINE_MUTATIONS
    /// The fault that is currently in the engine.
    package enum Mutation {
        /// Set while no stack is in use; nil for the correct engine.
        // Unchecked because only the gate sets it, in a separate process, between two runs.
        nonisolated(unsafe) package static var active: Mutant?

        /// Whether this build can have faults.
        package static let isPossible = true
    }

    @inline(__always)
    package func mutant(_ mutant: Mutant) -> Bool { Mutation.active == mutant }
#else
    /// The fault that is currently in the engine; none in this build.
    package enum Mutation {
        package static var active: Mutant? {
            get { nil }
            set {}
        }
        /// Whether this build can have faults.
        package static let isPossible = false
    }

    @inline(__always)
    package func mutant(_ mutant: Mutant) -> Bool { false }
#endif
