import LabRunner
import XCTest

/// A test case whose tests run under many schedules of the contexts that they create.
///
///     final class ImportTests: ExploredTestCase { … }
///
/// Tests, `setUp` and `tearDown` need no change. Each schedule creates a new instance of the class,
/// and runs `setUp`, the test and `tearDown`. A failure is reported once, with its schedule.
///
/// Other test cases are explored if their product links this module and the environment variable
/// `FAULTLINE_EXPLORED` contains the number of schedules: `FAULTLINE_EXPLORED=100 swift test`.
open class ExploredTestCase: XCTestCase {
    /// The maximum number of schedules of a test.
    open class var schedules: Int { 100 }
    /// The seed of the random number generator.
    open class var seed: UInt64 { 1 }
    /// Whether to use real threads with seeded delays instead of the lab's threads.
    open class var isPerturbed: Bool { false }
}
