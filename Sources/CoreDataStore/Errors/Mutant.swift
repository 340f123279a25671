/// Small, deliberate faults in the engine. The mutation gate activates one at a time, and checks
/// that the lab's scenarios notice the fault. The engine checks ``mutant(_:)`` at some points.
///
/// Only debug builds have the switch; in other builds the check is the constant false, which leaves
/// no code.
package enum Mutant: String, Sendable, CaseIterable {
    /// A save does not increase the version of a changed row.
    case skipVersionBump
    /// A save does not compare versions.
    case ignoreRowConflicts
    /// A save compares versions only in the row cache.
    case ignoreStoreConflicts
    /// The row cache does not receive the rows of a save.
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
    /// `objectTrump` also writes properties that the object did not change.
    case objectTrumpOverwrites
    /// `storeTrump` lets the object win.
    case storeTrumpKeepsChanges
    /// `overwrite` keeps properties that the store changed.
    case overwriteMerges
    /// The rollback policy lets the object win.
    case rollbackKeepsChanges
    /// The error policy lets the store win without an error.
    case errorPolicyIsSilent
    /// `overwrite` does not restore a deleted row.
    case overwriteLetsDeletionsWin
    /// `objectTrump` drops the deletion of a row that another writer has changed.
    case updateBeatsDeletion
    /// A new link does not update the other side of the relationship.
    case skipInverse
    /// A removed link does not update the other side of the relationship.
    case skipInverseRemoval
    /// A new link does not include the object at the other side in the save.
    case linkEnlistsNobody
    /// Delete rules have no effect.
    case deletesDoNotPropagate
    /// `cascade` acts like `nullify`.
    case cascadeNullifies
    /// When duplicates are merged, nil properties of the removed object do not become nil in the
    /// surviving one.
    case foldKeepsFilledValues
    /// When duplicates are merged under `objectTrump`, the survivor does not get new values.
    case foldDropsValues
    /// A child does not pass its updates to its parent.
    case childSaveLosesUpdates
    /// A child does not pass its deletions to its parent.
    case childSaveLosesDeletes
    /// A fetch does not see unsaved new objects.
    case fetchForgetsInserts
    /// A fetch still sees unsaved deletions.
    case fetchForgetsDeletes
    /// A fault is fired with the row that it references, even if the row is outdated.
    case faultsTakeOldRows
    /// A failed save drops its changes.
    case failedSaveDropsChanges
    /// `rollback()` does not discard changes.
    case rollbackKeepsObjects
    /// `refresh(_:mergeChanges: true)` does not read a newer row.
    case refreshKeepsOldRows
    /// The next save ignores `detectConflicts(for:)`.
    case detectionIsForgotten

    /// The faulty behaviour.
    package var meaning: String {
        switch self {
        case .skipVersionBump: "a save keeps the version of a changed row"
        case .ignoreRowConflicts: "a save compares no versions"
        case .ignoreStoreConflicts: "a save only compares versions in the row cache"
        case .rowCacheMissesSaves: "the row cache does not receive a save's rows"
        case .rowCacheKeepsDeletedRows: "the row cache keeps rows that a save deleted"
        case .mergeIgnoresUpdates: "a merge leaves updated objects unchanged"
        case .mergeIgnoresDeletes: "a merge leaves deleted objects unchanged"
        case .mergeDropsChanges: "a merge drops the unsaved changes of updated objects"
        case .saveIsNotAnnounced: "contexts that merge automatically are not notified of a save"
        case .mergeAsksTheParent: "an automatic merge of a child reads rows from its parent"
        case .objectTrumpOverwrites: "objectTrump also writes unchanged properties"
        case .storeTrumpKeepsChanges: "storeTrump lets the object win"
        case .overwriteMerges: "overwrite keeps properties that the store changed"
        case .rollbackKeepsChanges: "the rollback policy lets the object win"
        case .errorPolicyIsSilent: "the error policy lets the store win without an error"
        case .overwriteLetsDeletionsWin: "overwrite does not bring back a deleted row"
        case .updateBeatsDeletion: "objectTrump gives up a deletion of a changed row"
        case .skipInverse: "the other side of a relationship is not updated with a new link"
        case .skipInverseRemoval: "the other side of a relationship is not updated with a lost link"
        case .linkEnlistsNobody: "a new link does not make the other side take part in the save"
        case .deletesDoNotPropagate: "delete rules are not followed"
        case .cascadeNullifies: "cascade only nullifies"
        case .foldKeepsFilledValues: "a duplicate's nil properties do not become nil"
        case .foldDropsValues: "a duplicate under objectTrump leaves the survivor unchanged"
        case .childSaveLosesUpdates: "a child does not pass its updates to its parent"
        case .childSaveLosesDeletes: "a child does not pass its deletions to its parent"
        case .fetchForgetsInserts: "a fetch does not see unsaved new objects"
        case .fetchForgetsDeletes: "a fetch still sees unsaved deletions"
        case .faultsTakeOldRows: "a fault is fired with its attached row, even if the row is old"
        case .failedSaveDropsChanges: "a failed save drops its changes"
        case .rollbackKeepsObjects: "rollback() leaves changes unchanged"
        case .refreshKeepsOldRows: "refresh(_:mergeChanges: true) does not read a newer row"
        case .detectionIsForgotten: "the next save ignores detectConflicts(for:)"
        }
    }
}

#if FAULTLINE_MUTATIONS
    /// The active mutant.
    package enum Mutation {
        /// Set while no stack is in use; nil for the correct engine.
        // Unchecked because only the gate sets it, in a separate process, between two runs.
        nonisolated(unsafe) package static var active: Mutant?

        /// Whether this build supports mutants.
        package static let isPossible = true
    }

    @inline(__always)
    package func mutant(_ mutant: Mutant) -> Bool { Mutation.active == mutant }
#else
    /// The active mutant; always nil in this build.
    package enum Mutation {
        package static var active: Mutant? {
            get { nil }
            set {}
        }
        /// Whether this build supports mutants.
        package static let isPossible = false
    }

    @inline(__always)
    package func mutant(_ mutant: Mutant) -> Bool { false }
#endif
