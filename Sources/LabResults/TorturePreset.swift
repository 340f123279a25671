/// The size of a campaign of attacks: its time, or all attempts.
///
/// The report has its name.
package enum TorturePreset: String, CaseIterable, Sendable {
    /// About a minute; part of what every change must pass.
    case short
    /// Hours; before a release.
    case night
}
