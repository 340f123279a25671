import CoreDataModel
import CoreDataTrace
import Foundation
import ModelGeneration

/// The tool of the plugin `CoreDataModelPlugin`. It compiles a model, or generates its classes.
@main
struct CoreDataModelTool {
    private static let usage = """
        usage: coredata-model compile MODEL.xcdatamodeld OUT.momd
               coredata-model compile MAPPING.xcmappingmodel OUT.cdm
               coredata-model generate MODEL.xcdatamodeld OUT.swift

        """

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 3, ["compile", "generate"].contains(arguments[0]) else {
            StandardStream.log(usage)
            exit(64)
        }
        let (source, target) = (
            URL(fileURLWithPath: arguments[1]), URL(fileURLWithPath: arguments[2])
        )
        do {
            if arguments[0] == "generate" {
                try generate(source, target)
            } else if source.pathExtension == "xcmappingmodel" {
                try copyMapping(source, target)
            } else {
                try ModelCompiler.compile(source, to: target)
            }
        } catch let error as ModelError {
            StandardStream.log(error.asCompilersWrite + "\n")
            exit(1)
        } catch {
            StandardStream.log("\(source.path): error: \(error)\n")
            exit(1)
        }
    }

    private static func generate(_ source: URL, _ target: URL) throws {
        let model = try NSManagedObjectModel.load(contentsOf: source)
        let text = ClassGenerator(model, named: source.lastPathComponent).source()
        // A file that already has this text is not written, so that the build does not compile it
        // again.
        if (try? String(contentsOf: target, encoding: .utf8)) == text { return }
        try text.write(to: target, atomically: true, encoding: .utf8)
    }

    /// Copies a mapping model without compiling it. The engine reads the editor's format.
    private static func copyMapping(_ source: URL, _ target: URL) throws {
        try Data(contentsOf: source.appendingPathComponent("xcmapping.xml")).write(to: target)
    }
}
