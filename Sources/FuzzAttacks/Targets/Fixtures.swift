import Foundation

/// Additional seeds: the files in the folder that the environment variable `FAULTLINE_FIXTURES`
/// names.
enum FuzzFixtures {
    private static let bytesMax = 60_000
    private static let filesMax = 24

    /// The contents of small files whose paths satisfy `matches`, sorted by path.
    static func files(_ matches: (String) -> Bool) -> [[UInt8]] {
        guard let root = ProcessInfo.processInfo.environment["FAULTLINE_FIXTURES"],
            let paths = FileManager.default.enumerator(atPath: root)?.compactMap({ $0 as? String })
        else { return [] }
        var found: [[UInt8]] = []
        for path in paths.sorted() where matches(path) && found.count < filesMax {
            guard let data = FileManager.default.contents(atPath: "\(root)/\(path)"),
                data.count <= bytesMax
            else { continue }
            found.append([UInt8](data))
        }
        return found
    }
}
