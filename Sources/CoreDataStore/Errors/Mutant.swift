/// The small faults that the mutation gate puts into the engine, one at a time, to see whether the
/// lab's scenarios notice. Points of the engine ask ``mutant(_:)``.
///
/// Only debug builds have the switch; elsewhere the question is the constant false and nothing of
/// it is left in the code.
package enum Mutant: String, Sendable, CaseIterable {
    /// A save gives a changed row the version that it had.
    case skipVersionBump
    /// A save looks at no versions.
    case ignoreRowConflicts
    /// A save looks at versions in the row cache alone.
    case ignoreStoreConflicts
    /// The row cache is not told what a save wrote.
    case rowCacheMissesSaves
    /// The row cache keeps rows that a save deleted.
    case rowCacheKeepsDeletedRows
    /// A merge leaves updated objects as they were.
    case mergeIgnoresUpdates
    /// A merge leaves deleted objects as they were.
    case mergeIgnoresDeletes
    /// A merge drops the unsaved changes of updated objects.
    case mergeDropsChanges
    /// Contexts that merge by themselves do not hear of a save.
    case saveIsNotAnnounced
    /// A nested context that merges by itself reads the saved rows from its parent.
    case mergeAsksTheParent
    /// ObjectTrump writes what the object did not change, too.
    case objectTrumpOverwrites
    /// StoreTrump lets the object win.
    case storeTrumpKeepsChanges
    /// Overwrite keeps what the store changed.
    case overwriteMerges
    /// The rollback policy lets the object win.
    case rollbackKeepsChanges
    /// The error policy lets the store win and says nothing.
    case errorPolicyIsSilent
    /// Overwrite does not bring back a deleted row.
    case overwriteLetsDeletionsWin
    /// ObjectTrump gives up a deletion of a changed row.
    case updateBeatsDeletion
    /// The other side of a relationship is not told of a new link.
    case skipInverse
    /// The other side of a relationship is not told of a lost link.
    case skipInverseRemoval
    /// A new link does not make the other side take part in the save.
    case linkEnlistsNobody
    /// Delete rules are not followed.
    case deletesDoNotPropagate
    /// Cascade only nullifies.
    case cascadeNullifies
    /// A duplicate does not blank what it left nil.
    case foldKeepsFilledValues
    /// A duplicate under objectTrump leaves the survivor as it was.
    case foldDropsValues
    /// A child does not pass its updates to its parent.
    case childSaveLosesUpdates
    /// A child does not pass its deletions to its parent.
    case childSaveLosesDeletes
    /// A fetch does not see unsaved new objects.
    case fetchForgetsInserts
    /// A fetch sees unsaved deletions still.
    case fetchForgetsDeletes
    /// A fault is fired with the row it came with, however old.
    case faultsTakeOldRows
    /// A failed save drops what it could not save.
    case failedSaveDropsChanges
    /// Rollback() leaves changes as they are.
    case rollbackKeepsObjects
    /// Refresh(_:mergeChanges: true) does not look for a newer row.
    case refreshKeepsOldRows
    /// DetectConflicts(for:) is ignored by the next save.
    case detectionIsForgotten

    /// What the engine does wrong.
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
    /// The fault that is in the engine now.
    package enum Mutation {
        /// Set while no stack is in use; nil for the engine as it should be.
        // Unchecked because only the gate sets it, in a process of its own, between two runs.
        nonisolated(unsafe) package static var active: Mutant?

        /// Whether this build can have faults.
        package static let isPossible = true
    }

    @inline(__always)
    package func mutant(_ mutant: Mutant) -> Bool { Mutation.active == mutant }
#else
    /// The fault that is in the engine now; none in this build.
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
