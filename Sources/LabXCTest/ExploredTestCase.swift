import LabRunner
import XCTest

/// A test case whose tests run under many schedules of the contexts that they create.
///
///     final class ImportTests: ExploredTestCase { … }
///
/// Tests, `setUp` and `tearDown` need no change. Each schedule creates a new object of the class,
/// and runs set-up, the test and tear-down. A failure is reported once, with its schedule.
///
/// Test cases of other classes are explored if `FAULTLINE_EXPLORED` contains the number of
/// schedules and their product links this module: `FAULTLINE_EXPLORED=100 swift test`.
open class ExploredTestCase: XCTestCase {
    /// The maximum number of schedules of a test.
    open class var schedules: Int { 100 }
    /// The seed of random choices.
    open class var seed: UInt64 { 1 }
    /// Whether to use real threads with seeded delays instead of the lab's threads.
    open class var isPerturbed: Bool { false }
}
