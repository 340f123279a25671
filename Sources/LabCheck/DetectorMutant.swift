/// The small faults that the mutation gate puts into detectors, one at a time, to see whether the
/// lab's scenarios notice: each takes one condition away.
///
/// Only debug builds have the switch, as with the faults of the engine.
package enum DetectorMutant: String, Sendable, CaseIterable {
    /// A value that a step gives is computed from nothing, whatever was read before.
    case givenValuesHaveNoOrigin
    /// A context's own unsaved value is read like the value of a row.
    case ownValuesAreRows
    /// A parent takes a child's value without what it was computed from.
    case parentsForgetOrigins
    /// A value that is what was read counts as another one.
    case equalValuesAreOvertaken
    /// A context's own save overtakes its values.
    case ownSavesOvertake
    /// A save that was read overtakes the value computed from it.
    case seenChangesOvertake
    /// The save of an unsaved value that was read overtakes what was computed from it.
    case readValuesOvertake
    /// A row that was deleted can be read stale.
    case deletedRowsGoStale
    /// A refresh does not ask anew.
    case refreshAsksNobody
    /// What another process wrote is not known.
    case outsideWritesAreUnknown
    /// An unsaved value can be stale.
    case unsavedValuesGoStale

    /// What the detector does wrong.
    package var meaning: String {
        switch self {
        case .givenValuesHaveNoOrigin:
            "a value that a step gives is computed from nothing, whatever was read before"
        case .ownValuesAreRows: "a context's own unsaved value is read like the value of a row"
        case .parentsForgetOrigins:
            "a parent takes a child's value without what it was computed from"
        case .equalValuesAreOvertaken: "a value that is what was read counts as another one"
        case .ownSavesOvertake: "a context's own save overtakes its values"
        case .seenChangesOvertake: "a save that was read overtakes the value computed from it"
        case .readValuesOvertake:
            "the save of an unsaved value that was read overtakes what was computed from it"
        case .deletedRowsGoStale: "a row that was deleted can be read stale"
        case .refreshAsksNobody: "a refresh does not ask anew"
        case .outsideWritesAreUnknown: "what another process wrote is not known"
        case .unsavedValuesGoStale: "an unsaved value can be stale"
        }
    }
}

#if FAULTLINE_MUTATIONS
    /// The fault that is in the detectors now.
    package enum DetectorMutation {
        // Unchecked because only the gate sets it, in a process of its own, between two runs.
        nonisolated(unsafe) package static var active: DetectorMutant?
    }

    @inline(__always)
    func mutant(_ mutant: DetectorMutant) -> Bool { DetectorMutation.active == mutant }
#else
    /// The fault that is in the detectors now; none in this build.
    package enum DetectorMutation {
        package static var active: DetectorMutant? {
            get { nil }
            set {}
        }
    }

    @inline(__always)
    func mutant(_ mutant: DetectorMutant) -> Bool { false }
#endif
