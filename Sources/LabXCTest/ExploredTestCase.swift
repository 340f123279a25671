import LabRunner
import XCTest

/// A test case whose tests run under many schedules of the contexts that they make.
///
///     final class ImportTests: ExploredTestCase { … }
///
/// Tests, `setUp` and `tearDown` stay as they are. Each schedule has a fresh object of the class,
/// and runs set-up, the test and tear-down. A failure is told once, with its schedule.
///
/// Test cases of other classes are explored where `FAULTLINE_EXPLORED` says how many schedules,
/// if their product links this module: `FAULTLINE_EXPLORED=100 swift test`.
open class ExploredTestCase: XCTestCase {
    /// The most schedules of a test.
    open class var schedules: Int { 100 }
    /// The seed of what is drawn.
    open class var seed: UInt64 { 1 }
    /// Whether real threads with seeded delays are wanted in place of the lab's.
    open class var isPerturbed: Bool { false }
}
