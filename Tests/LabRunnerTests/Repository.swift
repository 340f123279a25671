import Foundation
import LabRunner
import LabScenario

let scenarios = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Scenarios")
    .path

/// The folder of real stores and models. It is next to the repository unless the environment names
/// another one.
let fixtures = Fixtures.found(
    currentFolder: URL(fileURLWithPath: scenarios).deletingLastPathComponent().path)

func suite() -> ScenarioSuite {
    var options = SuiteOptions()
    options.fixtures = fixtures
    return ScenarioSuite(options)
}

func withScenario<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
    let folder = NSTemporaryDirectory() + "scenario-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "\(folder)/written.yaml"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return try body(path)
}
