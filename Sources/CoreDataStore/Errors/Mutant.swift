/// Small, deliberate faults in the engine, which ``meaning`` describes. The mutation gate activates
/// one at a time, and checks that the lab's scenarios notice the fault.
///
/// Only debug builds have the switch. In other builds ``mutant(_:)`` is the constant false, which
/// leaves no code.
package enum Mutant: String, Sendable, CaseIterable {
    case skipVersionBump
    case ignoreRowConflicts
    case ignoreStoreConflicts
    case rowCacheMissesSaves
    case rowCacheKeepsDeletedRows
    case mergeIgnoresUpdates
    case mergeIgnoresDeletes
    case mergeDropsChanges
    case saveIsNotAnnounced
    case mergeAsksTheParent
    case objectTrumpOverwrites
    case storeTrumpKeepsChanges
    case overwriteMerges
    case rollbackKeepsChanges
    case errorPolicyIsSilent
    case overwriteLetsDeletionsWin
    case updateBeatsDeletion
    case skipInverse
    case skipInverseRemoval
    case linkEnlistsNobody
    case deletesDoNotPropagate
    case cascadeNullifies
    case foldKeepsFilledValues
    case foldDropsValues
    case childSaveLosesUpdates
    case childSaveLosesDeletes
    case fetchForgetsInserts
    case fetchForgetsDeletes
    case faultsTakeOldRows
    case failedSaveDropsChanges
    case rollbackKeepsObjects
    case refreshKeepsOldRows
    case detectionIsForgotten

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
        /// The active mutant; nil for the correct engine. It is set only while no stack is in use.
        // Unchecked because only the gate sets it, in a separate process, between two runs.
        nonisolated(unsafe) package static var active: Mutant?

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
        package static let isPossible = false
    }

    @inline(__always)
    package func mutant(_ mutant: Mutant) -> Bool { false }
#endif
