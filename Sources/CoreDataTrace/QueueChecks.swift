import Foundation

/// Decides about the use of a context off its queue.
///
/// Apple's framework allows it unless it is asked to check. Here such a call runs on the queue and
/// is logged once for each context and member. It is an error with
/// `-com.apple.CoreData.ConcurrencyDebug 1`, in test products and in the lab. Run a test product
/// whose code depends on such calls with `env com.apple.CoreData.ConcurrencyDebug=0 swift test`.
package enum QueueChecks {
    /// The setting of a test, which replaces the process's.
    @TaskLocal package static var override: Bool?

    package static var areStrict: Bool { override ?? isStrictProcess }

    private static let isStrictProcess =
        LaunchArguments.process.concurrencyDebug
        ?? isTestProduct(CommandLine.arguments.first ?? "")

    /// Whether the program at a path is a package's tests.
    static func isTestProduct(_ path: String) -> Bool {
        path.hasSuffix(".xctest") || path.hasSuffix("swiftpm-testing-helper")
    }
}
