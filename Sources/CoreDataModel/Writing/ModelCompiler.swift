import Foundation

/// Compiles models as Xcode's compiler does: a `.momd` with every version, or one `.mom`.
package enum ModelCompiler {
    /// Writes the compiled form of a model's source and replaces the existing files.
    ///
    /// - Parameters:
    ///   - source: an `.xcdatamodeld` or an `.xcdatamodel`.
    ///   - target: a `.momd` for all versions, a `.mom` for the current one.
    /// - Throws: ``ModelError`` for a version that cannot be used, and errors of writing files.
    package static func compile(_ source: URL, to target: URL) throws {
        if target.pathExtension == "mom" {
            let model = try NSManagedObjectModel.load(contentsOf: source)
            return try model.compiledData().write(to: target)
        }
        let versions = try versions(of: source)
        let current = try ModelFile.currentName(of: source, versions.map(\.name))
        let files = FileManager.default
        if files.fileExists(atPath: target.path) { try files.removeItem(at: target) }
        try files.createDirectory(at: target, withIntermediateDirectories: true)
        for (name, model) in versions {
            try model.compiledData().write(to: target.appendingPathComponent("\(name).mom"))
        }
        try versionInfo(versions, current).write(
            to: target.appendingPathComponent("VersionInfo.plist"))
    }

    private static func versions(
        of source: URL
    ) throws -> [(name: String, model: NSManagedObjectModel)] {
        guard source.pathExtension == "xcdatamodeld" else {
            let name = source.deletingPathExtension().lastPathComponent
            return [(name, try NSManagedObjectModel.load(contentsOf: source))]
        }
        return try ModelFile.versions(in: source).map { name in
            (name, try NSManagedObjectModel.load(contentsOf: source, version: name))
        }
    }

    /// The version information that Xcode's compiler writes, with the hashes of this module.
    private static func versionInfo(
        _ versions: [(name: String, model: NSManagedObjectModel)], _ current: String
    ) throws -> Data {
        let hashes = versions.map { ($0.name, $0.model.entityVersionHashesByName) }
        let checksums = versions.map { ($0.name, $0.model.versionChecksum) }
        return try PropertyListSerialization.data(
            fromPropertyList: [
                "NSManagedObjectModel_CurrentVersionName": current,
                "NSManagedObjectModel_VersionHashes": Dictionary(uniqueKeysWithValues: hashes),
                "NSManagedObjectModel_VersionChecksums": Dictionary(
                    uniqueKeysWithValues: checksums),
            ] as [String: Any], format: .binary, options: 0)
    }
}
