import CXCTestHooks
import Foundation
import LabRunner
import Synchronization
import XCTest

/// Runs test cases under many schedules instead of once.
enum Exploring {
    /// The failures of the current schedule; nil if failures are reported immediately.
    private static let caught = Mutex<[Failure]?>(nil)
    /// The number of failures that were reported immediately.
    private static let told = Mutex(0)
    private static let isExploring = Mutex(false)

    struct Failure {
        let text: String
        let file: String
        let line: Int

        var place: String { "\(file.split(separator: "/").last ?? ""):\(line)" }
        var description: String { "\(place): \(text)" }
    }

    static func invoke(_ test: XCTestCase) {
        guard !isExploring.withLock({ $0 }), let request = ExploredRequest(test) else {
            return run(test)
        }
        isExploring.withLock { $0 = true }
        defer { isExploring.withLock { $0 = false } }
        let name = String(test.name)
        // Unchecked because only the main thread, which runs the tests, uses the object.
        nonisolated(unsafe) let fresh = FreshTest(test)
        let places = Mutex<[String: Failure]>([:])
        let verdict = HostedTest(name, request.options).explore(
            first: { first(test) },
            attempt: {
                let failures = attempt(fresh)
                places.withLock { places in
                    for failure in failures { places[failure.description] = failure }
                }
                return TestFailures(failures.map(\.description))
            })
        verdict.tell()
        if let failure = verdict.failure {
            let first = failure.reasons.lazy.compactMap { reason in
                places.withLock { $0[reason] }
            }.first
            report(failure, of: test, at: first)
        }
    }

    private static func run(_ test: XCTestCase) {
        faultline_xctest_run(Unmanaged.passUnretained(test).toOpaque())
    }

    private static func first(_ test: XCTestCase) -> TestFailures {
        told.withLock { $0 = 0 }
        run(test)
        let count = told.withLock { $0 }
        return TestFailures(
            count == 0 ? [] : ["\(count) failures"],
            isSkipped: test.testRun?.hasBeenSkipped ?? false)
    }

    /// Runs the test on a new instance of its class.
    private static func attempt(_ fresh: FreshTest) -> [Failure] {
        caught.withLock { $0 = [] }
        run(fresh.make())
        return caught.withLock { caught in
            defer { caught = nil }
            return caught ?? []
        }
    }

    /// Called when XCTest records a failure.
    ///
    /// - Returns: whether the exploration has taken the failure. XCTest must then not report it
    ///   now.
    static func take(_ failure: Failure) -> Bool {
        let isTaken = caught.withLock { caught in
            caught?.append(failure)
            return caught != nil
        }
        if !isTaken { told.withLock { $0 += 1 } }
        return isTaken
    }

    private static func report(_ failure: CodeFailure, of test: XCTestCase, at place: Failure?) {
        faultline_xctest_tell(
            Unmanaged.passUnretained(test).toOpaque(), words("\(failure)"),
            words(place?.file ?? "\(type(of: test))"), place?.line ?? 0, true)
    }

    /// Converts a string to the type that the hooks expect. The copy is never freed, because
    /// reporting the failure can end the test first.
    private static func words(_ text: String) -> faultline_string {
        let kept = UnsafeMutablePointer<String>.allocate(capacity: 1)
        kept.initialize(to: text)
        return UnsafeRawPointer(kept).load(as: faultline_string.self)
    }
}

/// Creates instances of a test case's class. Each schedule has a separate instance.
struct FreshTest {
    private let test: XCTestCase
    private let body: ((XCTestCase) throws -> Void)?

    init(_ test: XCTestCase) {
        self.test = test
        body = Self.body(of: test)
    }

    /// Returns a new instance, or the test case itself if reflection does not find the test's
    /// closure.
    func make() -> XCTestCase {
        guard let body else { return test }
        return type(of: test).init(name: test.name, testClosure: body)
    }

    /// A closure with the memory representation of a stored property.
    private struct Stored {
        let body: (XCTestCase) throws -> Void
    }

    /// The test's closure, which is a private property of `XCTestCase`.
    private static func body(of test: XCTestCase) -> ((XCTestCase) throws -> Void)? {
        var mirror: Mirror? = Mirror(reflecting: test)
        while let level = mirror {
            for child in level.children where child.label == "testClosure" {
                typealias Body = (XCTestCase) throws -> Void
                guard type(of: child.value) == Body.self else { return nil }
                // Reflection copies the closure as it is stored. A cast would expect a closure with
                // indirect arguments. Therefore the memory is loaded instead.
                return withUnsafeBytes(of: child.value) { $0.load(as: Stored.self).body }
            }
            mirror = level.superclassMirror
        }
        return nil
    }
}
