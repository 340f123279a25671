/// Settings of a context that override the program's settings; the program still reads the values
/// that it set.
///
/// The lab uses them to test a run's result under other settings.
package struct SettingOverrides: Sendable, Equatable {
    /// The built-in policy to use; nil for the program's.
    package var mergePolicy: NSMergePolicyType?
    /// Whether other contexts' saves are merged automatically; nil for the program's setting.
    package var mergesAutomatically: Bool?

    package init(mergePolicy: NSMergePolicyType? = nil, mergesAutomatically: Bool? = nil) {
        self.mergePolicy = mergePolicy
        self.mergesAutomatically = mergesAutomatically
    }
}
