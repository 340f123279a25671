/// The extent of a stress-test campaign, which is limited by time or by the number of attempts.
package enum TorturePreset: String, CaseIterable, Sendable {
    /// A campaign of about a minute, which every change must pass.
    case short
    /// A campaign of several hours, which every release must pass.
    case night
}
