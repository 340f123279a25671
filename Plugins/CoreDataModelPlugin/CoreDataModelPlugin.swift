import Foundation
import PackagePlugin

/// Compiles the models and mapping models of a target into its resource bundle, and generates their
/// classes, as Xcode does.
///
/// The plugin finds models in the target's folder. It also searches each folder that a comment in
/// one of the target's files names, such as `// Sources: ../../Sources/App` (see
/// `CoreDataSources`). A comment such as `// Except: Old.xcdatamodeld` leaves out a model. If the
/// plugin `CoreDataSources` rewrites the sources, it also generates the classes, because it moves
/// overrides from extensions into the classes' bodies.
/// extensions into the classes' bodies.
@main
struct CoreDataModelPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let tool = try context.tool(named: "coredata-model").url
        let output = context.pluginWorkDirectoryURL
        var commands: [Command] = []
        let isGeneratedElsewhere =
            try !comments(of: target, "Sources").isEmpty && context.package.rewritesSources()
        for model in try models(of: target) {
            let name = model.deletingPathExtension().lastPathComponent
            let isMapping = model.pathExtension == "xcmappingmodel"
            let compiled = output.appending(path: name + (isMapping ? ".cdm" : ".momd"))
            let inputs = files(in: model)
            commands.append(
                .buildCommand(
                    displayName: "Compiling \(model.lastPathComponent)", executable: tool,
                    arguments: ["compile", model.path, compiled.path], inputFiles: inputs,
                    outputFiles: [compiled]))
            if isMapping || isGeneratedElsewhere { continue }
            let source = output.appending(path: "\(name)+CoreDataGenerated.swift")
            commands.append(
                .buildCommand(
                    displayName: "Generating the classes of \(model.lastPathComponent)",
                    executable: tool, arguments: ["generate", model.path, source.path],
                    inputFiles: inputs, outputFiles: [source]))
        }
        return commands
    }

    private static let kinds: Set = ["xcdatamodeld", "xcdatamodel", "xcmappingmodel"]

    private func models(of target: any SourceModuleTarget) throws -> [URL] {
        var found: [URL] = []
        let exceptions = try comments(of: target, "Except")
        let named = try comments(of: target, "Sources").map { path in
            target.directoryURL.appending(path: path).standardizedFileURL
                .resolvingSymlinksInPath()
        }
        for folder in [target.directoryURL] + named {
            // A comment may name a model itself.
            if Self.kinds.contains(folder.pathExtension) {
                found.append(folder)
                continue
            }
            let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            while let url = walk?.nextObject() as? URL {
                guard Self.kinds.contains(url.pathExtension) else { continue }
                walk?.skipDescendants()
                let path = url.path.dropFirst(folder.path.count + 1)
                let isLeftOut = exceptions.contains { path == $0 || path.hasPrefix($0 + "/") }
                if !isLeftOut { found.append(url) }
            }
        }
        return found.sorted { $0.path < $1.path }
    }

    /// The comma-separated values after `// WORD:` in comments of the target's files.
    private func comments(of target: any SourceModuleTarget, _ word: String) throws -> [String] {
        try target.sourceFiles(withSuffix: "swift").flatMap { file in
            try String(contentsOf: file.url, encoding: .utf8).split(separator: "\n")
                .filter { $0.hasPrefix("// \(word):") }
                .flatMap { $0.dropFirst("// \(word):".count).split(separator: ",") }
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    private func files(in model: URL) -> [URL] {
        let walk = FileManager.default.enumerator(
            at: model, includingPropertiesForKeys: [.isRegularFileKey])
        return (walk?.allObjects ?? []).compactMap { $0 as? URL }.filter { url in
            (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
        }.sorted { $0.path < $1.path }
    }
}

extension Package {
    /// Whether a manifest of the package names `CoreDataSources`. SwiftPM does not report to a
    /// plugin which other plugins its target uses.
    fileprivate func rewritesSources() throws -> Bool {
        let files = try FileManager.default.contentsOfDirectory(
            at: directoryURL, includingPropertiesForKeys: nil)
        return try files.contains { file in
            let isManifest =
                file.lastPathComponent.hasPrefix("Package") && file.pathExtension == "swift"
            return try isManifest
                && String(contentsOf: file, encoding: .utf8).contains("\"CoreDataSources\"")
        }
    }
}
