import Foundation

/// Decides whether the use of a context outside its queue is an error.
///
/// By default such a call runs on the queue and is logged once for each context and member. Apple's
/// framework does not check such calls. The call is an error with
/// `-com.apple.CoreData.ConcurrencyDebug 1`, in test products and in the lab. Code that depends on
/// such calls can be tested with `env com.apple.CoreData.ConcurrencyDebug=0 swift test`.
package enum QueueChecks {
    /// The setting of a test, which overrides the setting of the process.
    @TaskLocal package static var override: Bool?

    package static var areStrict: Bool { override ?? isStrictProcess }

    private static let isStrictProcess =
        LaunchArguments.process.concurrencyDebug
        ?? isTestProduct(CommandLine.arguments.first ?? "")

    /// Whether the executable at a path runs the tests of a package.
    static func isTestProduct(_ path: String) -> Bool {
        path.hasSuffix(".xctest") || path.hasSuffix("swiftpm-testing-helper")
    }
}
