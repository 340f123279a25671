import CoreDataEngine
import CoreDataStore
import Foundation
import LabFiles

/// Compiles a mapping model in the format of Xcode's editor, for the command `model --convert`.
package struct MappingConverter {
    private let model: NSMappingModel
    private let path: String

    package static func takes(_ path: String) -> Bool {
        ["xcmappingmodel", "cdm"].contains(URL(fileURLWithPath: path).pathExtension)
    }

    /// Reads an `.xcmappingmodel` or a `.cdm`.
    ///
    /// - Throws: an error if it cannot be read.
    package init(path: String) throws(InputErrors) {
        self.path = path
        model = NSMappingModel()
        do throws(CoreDataError) {
            model.entityMappings = try NSMappingModel.read(URL(fileURLWithPath: path))
        } catch {
            throw InputErrors([
                InputError(
                    file: path, problem: error.message,
                    remedy: "name an .xcmappingmodel that Xcode saved, or a .cdm")
            ])
        }
    }

    /// A description of the mapping model. It has a line for each entity mapping, and for each
    /// property that has a value.
    package var text: String {
        var lines: [String] = []
        for mapping in model.entityMappings ?? [] {
            let source = mapping.sourceEntityName ?? "nothing"
            let destination = mapping.destinationEntityName ?? "nothing"
            let policy = mapping.entityMigrationPolicyClassName.map { ", by \($0)" } ?? ""
            lines.append("\(mapping.name ?? ""): \(source) becomes \(destination)\(policy)")
            let properties =
                (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])
            lines += properties.map { property in
                let value = property.valueExpression.map { "\($0)" } ?? "its default"
                return "  \(property.name ?? "") = \(value)"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Writes the mapping model to a new `.cdm`.
    ///
    /// - Throws: an error if the path exists or has another extension, or if the file cannot be
    ///   written.
    package func write(to target: String) throws {
        let url = URL(fileURLWithPath: target)
        guard url.pathExtension == "cdm" else {
            throw InputErrors([
                InputError(
                    file: target, problem: "a mapping model is compiled to a .cdm",
                    remedy: "name a new .cdm file")
            ])
        }
        guard !FileManager.default.fileExists(atPath: target) else {
            throw InputErrors([
                InputError(
                    file: target, problem: "this file exists already",
                    remedy: "name a file that does not exist")
            ])
        }
        try bridgingErrors { () throws(CoreDataError) in try model.compiledData() }.write(to: url)
    }
}
