import Foundation
import Testing

/// A browser process with one page, for tests of the HTML report.
final class Browser {
    /// The path of a browser; nil if none is installed.
    static let program: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let names = ["chromium", "chromium-browser", "google-chrome", "headless_shell"]
        return names.lazy.flatMap { name in folders.map { "\($0)/\(name)" } }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    static var isInstalled: Bool { program != nil }

    private let process = Process()
    private let commands = Pipe()
    private let answers = Pipe()
    private let profile: Scratch
    private var buffer = Data()
    private var lastID = 0
    private var session: String?
    /// The errors that scripts of the page have thrown.
    private(set) var exceptions: [String] = []

    init(open page: URL, width: Int = 1_300, height: Int = 1_000) throws {
        profile = try Scratch()
        let chromium = try #require(Self.program)
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // A shell connects descriptors 3 and 4 of the browser, because Foundation's `Process`
        // passes only the standard streams. `timeout` ends a browser that hangs, so that reading
        // from its pipe also ends.
        process.arguments = [
            "-c",
            "exec timeout 120 \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null", chromium,
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--remote-debugging-pipe", "--window-size=\(width),\(height)",
            "--user-data-dir=\(profile.path("profile"))",
        ]
        process.standardInput = commands
        process.standardOutput = answers
        process.standardError = FileHandle.nullDevice
        try process.run()
        try answers.fileHandleForWriting.close()
        try commands.fileHandleForReading.close()
        let target = try call("Target.createTarget", ["url": "about:blank"])["targetId"]
        let attached = try call(
            "Target.attachToTarget", ["targetId": target ?? "", "flatten": true])
        session = attached["sessionId"] as? String
        try call("Runtime.enable")
        try call(
            "Browser.grantPermissions",
            ["permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]])
        try call("Page.navigate", ["url": page.absoluteString])
        let ready = "new Promise(function (done) { (function wait() { "
        let loaded = "document.readyState === 'complete' && location.protocol === 'file:'"
        _ = try evaluate("\(ready)\(loaded) ? done(true) : setTimeout(wait, 10); })(); })")
    }

    deinit {
        _ = try? call("Browser.close")
        try? commands.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    // MARK: What a reader does

    /// Moves the mouse pointer to the centre of the first element that the selector matches.
    func point(at selector: String) throws { try mouse("mouseMoved", at: middle(of: selector)) }

    func pointNowhere() throws { try mouse("mouseMoved", at: (1, 1)) }

    func click(_ selector: String) throws {
        let place = try middle(of: selector)
        try mouse("mouseMoved", at: place)
        try mouse("mousePressed", at: place, button: "left")
        try mouse("mouseReleased", at: place, button: "left")
    }

    /// - Parameter key: a name such as `ArrowDown`.
    func press(_ key: String) throws {
        for type in ["rawKeyDown", "keyUp"] {
            try call("Input.dispatchKeyEvent", ["type": type, "key": key, "code": key])
        }
    }

    func show(media: String = "screen", scheme: String = "light") throws {
        try call(
            "Emulation.setEmulatedMedia",
            [
                "media": media,
                "features": [["name": "prefers-color-scheme", "value": scheme]],
            ])
    }

    func resize(width: Int, height: Int) throws {
        try call(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
    }

    // MARK: What a reader sees

    func text(_ expression: String) throws -> String {
        try evaluate("String(\(expression))") as? String ?? ""
    }

    /// The text that was copied last.
    func clipboard() throws -> String {
        try evaluate("navigator.clipboard.readText()") as? String ?? ""
    }

    func isTrue(_ expression: String) throws -> Bool {
        try evaluate("Boolean(\(expression))") as? Bool ?? false
    }

    /// A screenshot of an element, as PNG data.
    func picture(of selector: String) throws -> Data {
        let found = try evaluate(
            """
            (function () {
              var box = document.querySelector("\(selector)").getBoundingClientRect();
              return [box.left + scrollX, box.top + scrollY, box.width, box.height];
            })()
            """)
        let box = try #require(found as? [Double], "there is no \(selector)")
        let clip: [String: Any] = [
            "x": box[0], "y": box[1], "width": box[2], "height": box[3], "scale": 1,
        ]
        let answer = try call(
            "Page.captureScreenshot",
            ["format": "png", "captureBeyondViewport": true, "clip": clip])
        return Data(base64Encoded: answer["data"] as? String ?? "") ?? Data()
    }

    private func middle(of selector: String) throws -> (x: Double, y: Double) {
        let quoted = "\"" + selector.replacingOccurrences(of: "\"", with: "\\\"") + "\""
        let found = try evaluate(
            """
            (function () {
              var element = document.querySelector(\(quoted));
              if (!element) { return null; }
              element.scrollIntoView({ block: "center" });
              var box = element.getBoundingClientRect();
              return [box.left + box.width / 2, box.top + box.height / 2];
            })()
            """)
        let place = try #require(found as? [Double], "there is no \(selector)")
        return (place[0], place[1])
    }

    private func mouse(
        _ type: String, at place: (x: Double, y: Double), button: String = "none"
    ) throws {
        try call(
            "Input.dispatchMouseEvent",
            ["type": type, "x": place.x, "y": place.y, "button": button, "clickCount": 1])
    }

    private func evaluate(_ expression: String) throws -> Any? {
        let answer = try call(
            "Runtime.evaluate",
            ["expression": expression, "returnByValue": true, "awaitPromise": true])
        if let details = answer["exceptionDetails"] { throw Failure(text: "\(details)") }
        return (answer["result"] as? [String: Any])?["value"]
    }

    // MARK: Messages

    private struct Failure: Error {
        var text: String
    }

    @discardableResult
    private func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        lastID += 1
        var message: [String: Any] = ["id": lastID, "method": method, "params": parameters]
        if let session, !method.hasPrefix("Browser.") { message["sessionId"] = session }
        let bytes = try JSONSerialization.data(withJSONObject: message)
        try commands.fileHandleForWriting.write(contentsOf: bytes + [0])
        while true {
            let answer = try read()
            if answer["method"] as? String == "Runtime.exceptionThrown" {
                exceptions.append("\(answer["params"] ?? "")")
            }
            guard answer["id"] as? Int == lastID else { continue }
            if let error = answer["error"] { throw Failure(text: "\(method): \(error)") }
            return answer["result"] as? [String: Any] ?? [:]
        }
    }

    private func read() throws -> [String: Any] {
        while true {
            if let end = buffer.firstIndex(of: 0) {
                let message = Data(buffer[..<end])
                buffer = Data(buffer[buffer.index(after: end)...])
                return try JSONSerialization.jsonObject(with: message) as? [String: Any] ?? [:]
            }
            let more = answers.fileHandleForReading.availableData
            if more.isEmpty { throw Failure(text: "the browser has ended") }
            buffer += more
        }
    }
}
