/// Settings of a context that override the settings of the program. The program still reads the
/// values that it has set.
///
/// The lab uses overrides to run a program with other settings.
package struct SettingOverrides: Sendable, Equatable {
    /// The built-in policy to use; nil for the program's policy.
    package var mergePolicy: NSMergePolicyType?
    /// Whether other contexts' saves are merged automatically; nil for the program's setting.
    package var mergesAutomatically: Bool?

    package init(mergePolicy: NSMergePolicyType? = nil, mergesAutomatically: Bool? = nil) {
        self.mergePolicy = mergePolicy
        self.mergesAutomatically = mergesAutomatically
    }
}
