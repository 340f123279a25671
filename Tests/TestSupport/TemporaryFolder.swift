import Foundation
import Testing

/// A folder for files of one test.
package final class TemporaryFolder {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("faultline-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Copies a store and its log. The copy is writable.
    package func copy(_ store: String) throws -> String {
        let source = try #require(RealStores.folder).appendingPathComponent("stores/\(store)").path
        for suffix in ["", "-wal", "-shm"]
        where FileManager.default.fileExists(atPath: source + suffix) {
            try Data(contentsOf: URL(fileURLWithPath: source + suffix))
                .write(to: URL(fileURLWithPath: path(store) + suffix))
        }
        return path(store)
    }

    package var contents: [String: Data] {
        get throws {
            var result: [String: Data] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
                result[name] = try Data(contentsOf: url.appendingPathComponent(name))
            }
            return result
        }
    }
}
