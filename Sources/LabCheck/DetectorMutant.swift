/// The small faults that the mutation gate puts into detectors, one at a time, to check whether the
/// lab's scenarios notice them. Each fault removes one condition. A save *overtakes* an unsaved
/// value if it replaces the value that the unsaved one was computed from.
///
/// Only debug builds contain the switch; the same is true of the faults of the engine.
package enum DetectorMutant: String, Sendable, CaseIterable {
    /// A value that a step sets literally has no origin, whatever was read before.
    case givenValuesHaveNoOrigin
    /// An unsaved value of the same context is read like the value of a row.
    case ownValuesAreRows
    /// A parent takes a child's value without the origins of the value.
    case parentsForgetOrigins
    /// A value that equals the read value still counts as overtaken.
    case equalValuesAreOvertaken
    /// A context's own save overtakes its values.
    case ownSavesOvertake
    /// A save overtakes a value that was computed from the saved value.
    case seenChangesOvertake
    /// When an unsaved value is saved, the save overtakes the values computed from that unsaved
    /// value.
    case readValuesOvertake
    /// A read of a deleted row can be a stale read.
    case deletedRowsGoStale
    /// A refresh does not count as reading the store or the parent again.
    case refreshAsksNobody
    /// The lab does not know the writes of another process.
    case outsideWritesAreUnknown
    /// An unsaved value can be stale.
    case unsavedValuesGoStale

    /// A description of the fault.
    package var meaning: String {
        switch self {
        case .givenValuesHaveNoOrigin:
            "a value that a step sets literally has no origin, whatever was read before"
        case .ownValuesAreRows: "a context's own unsaved value is read like the value of a row"
        case .parentsForgetOrigins:
            "a parent takes a child's value without the origins of the value"
        case .equalValuesAreOvertaken:
            "a value that equals the read value still counts as overtaken"
        case .ownSavesOvertake: "a context's own save overtakes its values"
        case .seenChangesOvertake: "a save overtakes a value that was computed from the saved value"
        case .readValuesOvertake:
            "the save of an unsaved value overtakes the values computed from that unsaved value"
        case .deletedRowsGoStale: "a read of a deleted row can be a stale read"
        case .refreshAsksNobody: "a refresh does not count as reading the store or the parent again"
        case .outsideWritesAreUnknown: "the lab does not know the writes of another process"
        case .unsavedValuesGoStale: "an unsaved value can be stale"
        }
    }
}

#if FAULTLINE_MUTATIONS
    /// The current fault of the detectors.
    package enum DetectorMutation {
        // Unchecked because only the gate sets it, in a separate process, between two runs.
        nonisolated(unsafe) package static var active: DetectorMutant?
    }

    @inline(__always)
    func mutant(_ mutant: DetectorMutant) -> Bool { DetectorMutation.active == mutant }
#else
    /// The current fault of the detectors; always nil in this build.
    package enum DetectorMutation {
        package static var active: DetectorMutant? {
            get { nil }
            set {}
        }
    }

    @inline(__always)
    func mutant(_ mutant: DetectorMutant) -> Bool { false }
#endif
