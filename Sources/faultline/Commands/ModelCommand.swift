import ArgumentParser
import CommandLineSupport
import SQLAnalysis

struct ModelCommand: StatusCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Describes, compares or converts a model, or tries all models below a folder.",
        discussion: """
            A model is described by its entities and properties, with Xcode's warnings. \
            --compare shows what another version changes, and the statements of the migration that \
            can be inferred; exit code 1 if none can. --convert writes the model in the form that \
            the new file's extension names; an .xcmappingmodel becomes a .cdm. \
            --generate writes two files for each class: properties, which are rewritten each \
            time, and the class itself, which is written only once for you to edit: \
            Book+CoreDataProperties.swift and Book+CoreDataClass.swift, or with --style \
            mogenerator _Book.swift and Book.swift.

            With --all each version is loaded and one object of each concrete entity is saved into \
            a new store in a temporary folder; exit code 1 if any version cannot be used. With \
            --migrate as well, such a store of each version is migrated to the next one, by the \
            mapping models below the folder or by an inferred mapping, and values and links are \
            compared; exit code 1 if any migration is refused or loses something.
            """,
        examples: [
            "model Library.xcdatamodeld", "model Old.xcdatamodel --compare New.xcdatamodel",
            "model Library.xcdatamodeld --generate Sources/Library", "model Models --all",
            "model Models --all --migrate",
        ])

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, mermaid, json }

    @Argument(help: "An .xcdatamodeld, .xcdatamodel, .momd or .mom; a folder with --all.")
    var path: String

    @Flag(help: "Try every model version below the folder.")
    var all = false

    @Flag(help: "With --all, migrate from each version to the next one.")
    var migrate = false

    @Option(help: "The format of the description: text, mermaid or json.")
    var format: Format = .text

    @Option(help: "A newer version to compare the model with.")
    var compare: String?

    @Option(
        help: "The file to write: .mom, .momd, .xcdatamodel, .xcdatamodeld or .cdm.")
    var convert: String?

    @Option(
        help: "The folder for the entities' classes, each in two files.")
    var generate: String?

    @Option(help: "With --generate, the names and contents of the files: xcode or mogenerator.")
    var style: ModelClasses.Style = .xcode

    func validate() throws {
        if [all, compare != nil, convert != nil, generate != nil].filter(\.self).count > 1 {
            throw ValidationError("Pass only one of --all, --compare, --convert and --generate.")
        }
        if migrate && !all { throw ValidationError("Pass --migrate only with --all.") }
    }

    func status() throws -> ExitStatus {
        if all {
            let result =
                migrate ? MigrationSurvey(folder: path).run() : ModelSurvey(folder: path).run()
            Console.write(result.text)
            return result.count == 0 ? .inconclusive : result.isComplete ? .expected : .failed
        }
        if let compare {
            var comparison = try ModelComparison(path: path, with: compare)
            Console.write(try comparison.text())
            return comparison.isInferable ? .expected : .failed
        }
        if let generate {
            for line in try ModelClasses(path: path).write(to: generate, style) {
                Console.write("\(line)\n")
            }
            return .expected
        }
        if let convert, MappingConverter.takes(path) {
            try MappingConverter(path: path).write(to: convert)
            Console.write("\(convert) is written\n")
            return .expected
        }
        if let convert {
            let omissions = try ModelConverter(path: path).write(to: convert)
            for omission in omissions { Console.write("left out: \(omission)\n") }
            Console.write("\(convert) is written\n")
            return .expected
        }
        if MappingConverter.takes(path) {
            Console.write(try MappingConverter(path: path).text)
            return .expected
        }
        let describer = try ModelDescriber(path: path)
        switch format {
        case .text:
            Console.write(describer.text)
            for warning in describer.warnings { Console.write("\(warning)\n") }
        case .mermaid: Console.write(describer.mermaid)
        case .json: Console.write(try describer.json())
        }
        return .expected
    }
}

extension ModelClasses.Style: ExpressibleByArgument {}
