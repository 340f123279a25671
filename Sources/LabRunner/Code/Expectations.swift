import Foundation
import Synchronization

/// Collects the expectations that fail while code runs, instead of reporting them immediately. The
/// module `LabTesting` implements it for Swift Testing.
package protocol ExpectationCatcher: SendableMetatype {
    /// Runs the body.
    ///
    /// - Parameter caught: receives each failing expectation, with its position.
    static func run(
        _ body: () async throws -> Void, caught: @escaping @Sendable (String) -> Void
    ) async throws

    /// The name of the running test, as its source spells it; nil outside of a test.
    static var testName: String? { get }
}

/// The failures in the code of a schedule: the errors that sessions threw, and the expectations
/// that failed. Tasks of sessions add to them, one at a time.
final class CodeFailures: Sendable {
    private let told = Mutex<[String]>([])

    var all: [String] { told.withLock { $0 } }

    func add(_ what: String) { told.withLock { $0.append(what) } }

    /// Looked up by name, because a program without tests does not link the module.
    static let catcher =
        _typeByName("10LabTesting12IssueCatcherV") as? any ExpectationCatcher.Type

    func watch(_ place: String, _ body: () async throws -> Void) async {
        do {
            guard let catcher = Self.catcher else { return try await body() }
            // The description of an object contains its address, which differs in every run.
            try await catcher.run(body) { self.add("\(place): \(Scrubbed.text($0))") }
        } catch {
            add("\(place) threw \(Self.text(error))")
        }
    }

    /// A description of the error that is the same in every run. The values of an error are
    /// omitted, because their order varies.
    private static func text(_ error: any Error) -> String {
        guard let error = error as? CocoaError else { return Scrubbed.text("\(error)") }
        return "Cocoa error \(error.code.rawValue): \(error.localizedDescription)"
    }
}
