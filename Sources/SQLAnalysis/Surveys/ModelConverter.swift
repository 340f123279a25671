import CoreDataModel
import Foundation
import LabFiles

/// Writes a model in another format, for the command `model --convert`.
package struct ModelConverter {
    private let model: NSManagedObjectModel
    private let path: String

    /// Reads a model file of any format.
    ///
    /// - Throws: the reasons why the file cannot be read, with their positions.
    package init(path: String) throws(InputErrors) {
        model = try ModelSource.model(at: path)
        self.path = path
    }

    private static let forms = ".mom, .momd, .xcdatamodel or .xcdatamodeld"

    /// Writes the model to a new file or folder, in the format that the path extension denotes.
    ///
    /// - Returns: the features that were omitted because the format does not support them.
    /// - Throws: an error if the path exists or has an unknown extension, or if the model cannot be
    ///   written.
    package func write(to target: String) throws -> [String] {
        let url = URL(fileURLWithPath: target)
        guard !FileManager.default.fileExists(atPath: target) else {
            throw problem(target, "this file exists already", "name a file that does not exist")
        }
        let name = url.deletingPathExtension().lastPathComponent
        switch url.pathExtension {
        case "mom":
            try model.compiledData().write(to: url)
            return []
        case "momd" where path.hasSuffix(".xcdatamodeld"):
            try ModelCompiler.compile(URL(fileURLWithPath: path), to: url)
            return []
        case "momd":
            try makeFolder(url)
            try model.compiledData().write(to: url.appendingPathComponent("\(name).mom"))
            try versionInfo(name).write(to: url.appendingPathComponent("VersionInfo.plist"))
            return []
        case "xcdatamodel": return try writeSource(to: url)
        case "xcdatamodeld":
            try makeFolder(url)
            return try writeSource(to: url.appendingPathComponent("\(name).xcdatamodel"))
        default:
            throw problem(target, "no form of a model has this extension", "write \(Self.forms)")
        }
    }

    private func writeSource(to folder: URL) throws -> [String] {
        let xml = ModelXML(model)
        try makeFolder(folder)
        try Data(xml.text.utf8).write(to: folder.appendingPathComponent("contents"))
        return xml.omissions
    }

    private func makeFolder(_ url: URL) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// The version information in the format of Xcode's compiler, with the version hashes of this
    /// engine.
    private func versionInfo(_ name: String) throws -> Data {
        try PropertyListSerialization.data(
            fromPropertyList: [
                "NSManagedObjectModel_CurrentVersionName": name,
                "NSManagedObjectModel_VersionHashes": [name: model.entityVersionHashesByName],
                "NSManagedObjectModel_VersionChecksums": [name: model.versionChecksum],
            ] as [String: Any], format: .binary, options: 0)
    }

    private func problem(_ file: String, _ problem: String, _ remedy: String) -> InputErrors {
        InputErrors([InputError(file: file, problem: problem, remedy: remedy)])
    }
}
