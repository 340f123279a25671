import Foundation
import Synchronization

/// Reads the events of Swift Testing in this process from a named pipe.
final class EventStream: Sendable {
    /// An issue that makes a test fail.
    struct Issue {
        let test: String
        let testName: String
        let line: String?
    }

    let path: String
    private let isRead = Atomic<Bool>(false)
    private let end = DispatchSemaphore(value: 0)
    private static let current = Mutex<EventStream?>(nil)

    private init(path: String) { self.path = path }

    static func open() -> EventStream? {
        let folder = FileManager.default.temporaryDirectory
        let path = folder.appendingPathComponent("faultline-events-\(getpid())").path
        unlink(path)
        guard mkfifo(path, 0o600) == 0 else { return nil }
        return EventStream(path: path)
    }

    /// Reads on a new thread until all tests have run.
    func read(_ told: @escaping @Sendable (Issue) -> Void) {
        Self.current.withLock { $0 = self }
        // The rest of the stream is read before the process ends.
        atexit { EventStream.finish() }
        let thread = Thread {
            guard let file = fopen(self.path, "r") else { return }
            self.isRead.store(true, ordering: .releasing)
            unlink(self.path)
            var line: UnsafeMutablePointer<CChar>?
            var capacity = 0
            while getline(&line, &capacity, file) > 0, let start = line {
                guard let event = Self.event(String(cString: start)) else { continue }
                if let issue = Self.issue(event) { told(issue) }
                if event["kind"] as? String == "runEnded" { break }
            }
            self.end.signal()
        }
        thread.name = "Faultline test events"
        thread.start()
    }

    private static func finish() {
        guard let stream = current.withLock({ $0 }) else { return }
        unlink(stream.path)
        guard stream.isRead.load(ordering: .acquiring) else { return }
        _ = stream.end.wait(timeout: .now() + 5)
    }

    private static func event(_ line: String) -> [String: Any]? {
        let record = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        guard record?["kind"] as? String == "event" else { return nil }
        return record?["payload"] as? [String: Any]
    }

    private static func issue(_ event: [String: Any]) -> Issue? {
        guard event["kind"] as? String == "issueRecorded", let test = event["testID"] as? String,
            let issue = event["issue"] as? [String: Any], issue["isKnown"] as? Bool != true,
            issue["isFailure"] as? Bool != false, issue["severity"] as? String != "warning"
        else { return nil }
        let place = issue["sourceLocation"] as? [String: Any]
        let file = (place?["fileID"] as? String)?.split(separator: "/").last.map(String.init)
        let line = place?["line"] as? Int
        return Issue(
            test: test, testName: name(of: test),
            line: file.flatMap { file in line.map { "\(file):\($0)" } })
    }

    /// The name of the function in an ID such as `Module.Suite/name()/File.swift:1:2`.
    private static func name(of test: String) -> String {
        let parts = test.split(separator: "/").map(String.init)
        return parts.count > 2 ? parts[parts.count - 2] : parts.last ?? test
    }
}
