import Foundation
import Synchronization

/// Catches expectations that fail in a piece of code, in place of telling them at once. The module
/// `LabTesting` has one for Swift Testing.
package protocol ExpectationCatcher: SendableMetatype {
    /// Runs the body.
    ///
    /// - Parameter caught: takes each expectation that fails, with its place.
    static func run(
        _ body: () async throws -> Void, caught: @escaping @Sendable (String) -> Void
    ) async throws

    /// The name of the test that runs, as its source has it; nil outside of one.
    static var testName: String? { get }
}

/// What has gone wrong in the code of a schedule: what sessions have thrown, and expectations that
/// failed. Tasks of sessions add to it, one at a time.
final class CodeFailures: Sendable {
    private let told = Mutex<[String]>([])

    var all: [String] { told.withLock { $0 } }

    func add(_ what: String) { told.withLock { $0.append(what) } }

    /// Found by its name, because a program that does not test has none.
    static let catcher =
        _typeByName("10LabTesting12IssueCatcherV") as? any ExpectationCatcher.Type

    /// Runs code and takes what goes wrong in it.
    func watch(_ place: String, _ body: () async throws -> Void) async {
        do {
            guard let catcher = Self.catcher else { return try await body() }
            // An object's description has its address.
            try await catcher.run(body) { self.add("\(place): \(Scrubbed.text($0))") }
        } catch {
            add("\(place) threw \(Self.text(error))")
        }
    }

    /// What stays the same from run to run: an error's values are in no order.
    private static func text(_ error: any Error) -> String {
        guard let error = error as? CocoaError else { return Scrubbed.text("\(error)") }
        return "Cocoa error \(error.code.rawValue): \(error.localizedDescription)"
    }
}
