/// The extent of a stress-test campaign.
package enum TorturePreset: String, CaseIterable, Sendable {
    /// A campaign of about a minute. Every change must pass it.
    case short
    /// A campaign of several hours. Every release must pass it.
    case night
}
