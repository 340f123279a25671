import CoreDataModel
import Foundation
import LabFiles
import ModelGeneration

/// Writes the classes of a model's entities to files, for the command `model --generate`.
package struct ModelClasses {
    private let generator: ClassGenerator

    /// Reads a model file of any format.
    ///
    /// - Throws: the reasons why the file cannot be read, with their positions.
    package init(path: String) throws(InputErrors) {
        generator = ClassGenerator(
            try ModelSource.model(at: path), named: URL(fileURLWithPath: path).lastPathComponent)
    }

    /// The files that are generated for a class: one is overwritten each time, and the programmer
    /// edits the other.
    package enum Style: String, CaseIterable, Sendable {
        /// The files that Xcode writes: an extension with the properties, next to the class.
        case xcode
        /// The files that mogenerator writes: a superclass with the properties.
        case mogenerator
    }

    /// Writes two files for each class. One is always overwritten. The one that the programmer
    /// edits is only written if it does not exist.
    ///
    /// - Returns: a message about each file, in one line.
    package func write(to folder: String, _ style: Style = .xcode) throws -> [String] {
        let url = URL(fileURLWithPath: folder)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        var lines: [String] = []
        for entity in generator.entities {
            let name = generator.className(of: entity)
            let (own, other) =
                switch style {
                case .xcode: ("\(name)+CoreDataClass", "\(name)+CoreDataProperties")
                case .mogenerator: (name, "_\(name)")
                }
            let authors = url.appendingPathComponent("\(own).swift")
            if FileManager.default.fileExists(atPath: authors.path) {
                lines.append("\(authors.path) is kept")
            } else {
                let part: ClassGenerator.Part = style == .xcode ? .classOnly : .humanClass
                try generator.source(of: entity, part)
                    .write(to: authors, atomically: true, encoding: .utf8)
                lines.append("\(authors.path) is written")
            }
            let machines = url.appendingPathComponent("\(other).swift")
            let part: ClassGenerator.Part = style == .xcode ? .propertiesOnly : .machineClass
            try generator.source(of: entity, part)
                .write(to: machines, atomically: true, encoding: .utf8)
            lines.append("\(machines.path) is written")
        }
        return lines
    }
}
