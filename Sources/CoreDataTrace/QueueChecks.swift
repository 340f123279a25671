import Foundation

/// What becomes of a context that is used off its queue.
///
/// Apple's framework lets it pass unless it is asked to check. Here such a call is served on the
/// queue and told in the log, once for each context and member; where it is asked to check, with
/// `-com.apple.CoreData.ConcurrencyDebug 1`, and in test products and the lab, it is an error.
/// A test product whose code leans on the other is run with
/// `env com.apple.CoreData.ConcurrencyDebug=0 swift test`.
package enum QueueChecks {
    /// What a test sets in place of what the process was started with.
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
