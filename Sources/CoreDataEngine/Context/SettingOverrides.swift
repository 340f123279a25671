/// Settings of a context that hold in place of the program's, which still reads its own.
///
/// The lab tries with them what would have become of a run under other settings.
package struct SettingOverrides: Sendable, Equatable {
    /// The built-in policy that decides; nil for the program's.
    package var mergePolicy: NSMergePolicyType?
    /// Whether saves of others are merged in by themselves; nil for what the program says.
    package var mergesAutomatically: Bool?

    package init(mergePolicy: NSMergePolicyType? = nil, mergesAutomatically: Bool? = nil) {
        self.mergePolicy = mergePolicy
        self.mergesAutomatically = mergesAutomatically
    }
}
