import CoreDataModel
import Foundation
import LabResults
import ModelGeneration

/// Writes the classes of a model's entities for version control.
///
/// The command `model --generate` runs it.
package struct ModelClasses {
    private let generator: ClassGenerator

    /// Reads a model file of any form.
    ///
    /// - Throws: what keeps it from being read, each with its place.
    package init(path: String) throws(InputErrors) {
        generator = ClassGenerator(
            try ModelSource.model(at: path), named: URL(fileURLWithPath: path).lastPathComponent)
    }

    /// Writes `Book+CoreDataProperties.swift` anew, and `Book+CoreDataClass.swift` where there is
    /// none: it is the author's from then on.
    ///
    /// - Returns: what became of each file.
    package func write(to folder: String) throws -> [String] {
        let url = URL(fileURLWithPath: folder)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        var lines: [String] = []
        for entity in generator.entities {
            let name = generator.className(of: entity)
            let own = url.appendingPathComponent("\(name)+CoreDataClass.swift")
            if FileManager.default.fileExists(atPath: own.path) {
                lines.append("\(own.path) is kept")
            } else {
                try generator.source(of: entity, .classAlone)
                    .write(to: own, atomically: true, encoding: .utf8)
                lines.append("\(own.path) is written")
            }
            let properties = url.appendingPathComponent("\(name)+CoreDataProperties.swift")
            try generator.source(of: entity, .propertiesAlone)
                .write(to: properties, atomically: true, encoding: .utf8)
            lines.append("\(properties.path) is written")
        }
        return lines
    }
}
