/// The extent of a stress-test campaign: a time limit, or all attempts.
package enum TorturePreset: String, CaseIterable, Sendable {
    /// About a minute; must pass after every change.
    case short
    /// Several hours; must pass before a release.
    case night
}
