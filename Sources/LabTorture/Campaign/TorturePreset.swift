/// Which attacks run, and how often.
package enum TorturePreset: String, CaseIterable, Sendable {
    /// About two minutes; part of what every change must pass.
    case short
    /// Hours; before a release.
    case night
}
