import Foundation

/// The tool beside the running tests.
package enum BuiltTool {
    /// Nil if it has not been built.
    package static let executable: URL? = {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        guard let own else { return nil }
        let tool = URL(fileURLWithPath: own).deletingLastPathComponent()
            .appendingPathComponent("faultline")
        return FileManager.default.isExecutableFile(atPath: tool.path) ? tool : nil
    }()
}
