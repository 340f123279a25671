/// The mutants of the detectors. Each mutant removes one condition from a detector. The mutation
/// gate plants one mutant at a time, and checks that the lab's scenarios detect it.
///
/// In these descriptions, a save *overtakes* an unsaved value if it replaces the value from which
/// the unsaved value was computed. Only debug builds contain the mutants.
package enum DetectorMutant: String, Sendable, CaseIterable {
    /// A value that a step sets literally has no origin, whatever was read before.
    case givenValuesHaveNoOrigin
    /// An unsaved value of the reading context also counts as a value of the row.
    case ownValuesAreRows
    /// A child's save passes a value to the parent without the origins of the value.
    case parentsForgetOrigins
    /// A value counts as overtaken even if the new value equals the value that was read.
    case equalValuesAreOvertaken
    /// A context's own saves overtake the context's values.
    case ownSavesOvertake
    /// A save overtakes a value even if the context had read the saved value before it computed its
    /// own.
    case seenChangesOvertake
    /// The save of an unsaved value overtakes the values that were computed from it.
    case readValuesOvertake
    /// A read of a deleted row can be a stale read.
    case deletedRowsGoStale
    /// A refresh does not count as a new read of the store or the parent.
    case refreshAsksNobody
    /// The detectors do not know the writes of another process.
    case outsideWritesAreUnknown
    /// An unsaved value can be stale.
    case unsavedValuesGoStale

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
    package enum DetectorMutation {
        // Unchecked because only the gate sets the mutant. It does so in a separate process,
        // between two runs.
        nonisolated(unsafe) package static var active: DetectorMutant?
    }

    @inline(__always)
    func mutant(_ mutant: DetectorMutant) -> Bool { DetectorMutation.active == mutant }
#else
    /// The mutant that is active in the detectors; always nil in this build.
    package enum DetectorMutation {
        package static var active: DetectorMutant? {
            get { nil }
            set {}
        }
    }

    @inline(__always)
    func mutant(_ mutant: DetectorMutant) -> Bool { false }
#endif
