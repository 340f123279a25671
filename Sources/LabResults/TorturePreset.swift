/// The size of a campaign of attacks: its time, or all attempts.
package enum TorturePreset: String, CaseIterable, Sendable {
    /// About a minute; every change must pass it.
    case short
    /// Hours; before a release.
    case night
}
