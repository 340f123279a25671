import Foundation
import PackagePlugin

/// Compiles sources of an Xcode project without changing them. The target's folder contains one
/// Swift file with a comment that names the folder of the sources, and the plugin passes a
/// rewritten copy of each source to the compiler.
///
///     // Sources: ../../Sources/Bookmarks
///     // Except: Widgets, AppDelegate.swift
///     // Platform: iOS
///
/// `Except` and `Platform` are optional. `Except` lists files and folders to leave out. `Platform`
/// names the system whose `#if os(…)` branches are compiled if the sources have no branch for this
/// system.
@main
struct CoreDataSources: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? SourceModuleTarget else { return [] }
        let settings = try Settings(target)
        guard !settings.folders.isEmpty else {
            Diagnostics.warning(
                "\(target.name): no file in \(target.directoryURL.path) names the folder of the"
                    + " sources, so no source is rewritten; write"
                    + " `// Sources: ../../Sources/\(target.name)` into one of these files")
            return []
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "Sources")
        let copies = settings.files.map { file in
            let name = file.deletingPathExtension().lastPathComponent
            return output.appending(path: name == "main" ? "main.swift" : name + ".rewritten.swift")
        }
        let twice = Dictionary(grouping: settings.files, by: \.lastPathComponent)
            .filter { $1.count > 1 }.keys.sorted()
        if let name = twice.first {
            throw PluginError(
                "\(target.name): several files are called \(name); rename all but one of them")
        }
        var arguments = ["rewrite", "--output", output.path]
        if let platform = settings.platform { arguments += ["--platform", platform] }
        for comment in settings.comments {
            arguments += ["--comments", comment.file.path, comment.text]
        }
        for folder in settings.folders { arguments += ["--folder", folder.path] }
        for exception in settings.exceptions { arguments += ["--except", exception] }
        let known = Self.known(to: target, in: context.package)
        for file in known { arguments += ["--known", file.path] }
        let models = try Self.models(of: target, settings, in: context.package)
        for model in models { arguments += ["--model", model.path] }
        arguments += settings.files.map(\.path)
        let classes = models.map { model in
            let name = model.deletingPathExtension().lastPathComponent
            return output.appending(path: name + "+CoreDataGenerated.rewritten.swift")
        }
        let inputs: [URL] =
            settings.files + known + settings.folders + settings.comments.map(\.file)
            + models.flatMap(Self.files)
        return [
            .buildCommand(
                displayName: "Rewriting the sources of \(target.name)",
                executable: try context.tool(named: "coredata-sources").url,
                arguments: arguments, inputFiles: inputs, outputFiles: copies + classes)
        ]
    }
}

extension CoreDataSources {
    /// The sources of the package's other targets on which this target depends, if this plugin
    /// rewrites them. The rewriter reads base classes, optional methods and Objective-C names from
    /// them.
    private static func known(to target: any SourceModuleTarget, in package: Package) -> [URL] {
        let own = Set(package.targets.map(\.id))
        return target.recursiveTargetDependencies.filter { own.contains($0.id) }
            .compactMap { $0 as? any SourceModuleTarget }
            .flatMap { (try? Settings($0))?.files ?? [] }
    }
}

/// Finds the models of the target. The rewriter adds overrides from extensions of the sources to
/// their generated classes.
///
/// `CoreDataModelPlugin` generates the classes of all other targets.
extension CoreDataSources {
    private static func models(
        of target: any SourceModuleTarget, _ settings: Settings, in package: Package
    ) throws -> [URL] {
        guard try package.uses("CoreDataModelPlugin") else { return [] }
        let kinds: Set = ["xcdatamodeld", "xcdatamodel"]
        var found: [URL] = []
        for folder in [target.directoryURL] + settings.folders {
            // A comment may name a model itself.
            if kinds.contains(folder.pathExtension) {
                found.append(folder)
                continue
            }
            let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            while let url = walk?.nextObject() as? URL {
                guard kinds.contains(url.pathExtension) else { continue }
                walk?.skipDescendants()
                if !settings.leavesOut(url, in: folder) { found.append(url) }
            }
        }
        return found.sorted { $0.path < $1.path }
    }

    private static func files(in model: URL) -> [URL] {
        let walk = FileManager.default.enumerator(
            at: model, includingPropertiesForKeys: [.isRegularFileKey])
        return (walk?.allObjects ?? []).compactMap { $0 as? URL }.filter { url in
            (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
        }.sorted { $0.path < $1.path }
    }
}

extension Package {
    /// Whether a manifest of the package names the plugin. SwiftPM does not report to a plugin
    /// which other plugins its target uses.
    fileprivate func uses(_ plugin: String) throws -> Bool {
        let files = try FileManager.default.contentsOfDirectory(
            at: directoryURL, includingPropertiesForKeys: nil)
        return try files.contains { file in
            let isManifest =
                file.lastPathComponent.hasPrefix("Package") && file.pathExtension == "swift"
            return try isManifest
                && String(contentsOf: file, encoding: .utf8).contains("\"\(plugin)\"")
        }
    }
}

/// The settings in the comments of the target's files.
private struct Settings {
    private(set) var files: [URL] = []
    private(set) var platform: String?
    private(set) var folders: [URL] = []
    private(set) var exceptions: [String] = []
    /// The comments in each file. SwiftPM runs the plugin again only when files are added to the
    /// target's folder or removed from it. So the tool checks whether the files still contain these
    /// comments.
    private(set) var comments: [(file: URL, text: String)] = []

    init(_ target: any SourceModuleTarget) throws {
        for file in target.sourceFiles(withSuffix: "swift") {
            let text = try String(contentsOf: file.url, encoding: .utf8)
            let lines = text.split(separator: "\n").filter { $0.hasPrefix("//") }
            comments.append((file.url, lines.joined(separator: "\n")))
            for line in lines {
                let comment = line.drop { $0 == "/" || $0 == " " }
                let paths = Self.list(comment, after: "Sources:") ?? []
                folders += paths.map { path in
                    target.directoryURL.appending(path: path).standardizedFileURL
                        .resolvingSymlinksInPath()
                }
                platform = Self.list(comment, after: "Platform:")?.first ?? platform
                exceptions += Self.list(comment, after: "Except:") ?? []
            }
        }
        for folder in folders { files += try sources(in: folder) }
        files.sort { $0.path < $1.path }
    }

    /// Whether an `Except` comment names the file or a folder above it.
    func leavesOut(_ file: URL, in folder: URL) -> Bool {
        let path = file.path.dropFirst(folder.path.count + 1)
        return exceptions.contains { path == $0 || path.hasPrefix($0 + "/") }
    }

    private static func list(_ line: Substring, after word: String) -> [String]? {
        guard line.hasPrefix(word) else { return nil }
        return line.dropFirst(word.count).split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    /// The Swift files of a folder and its subfolders.
    private func sources(in folder: URL) throws -> [URL] {
        if folder.pathExtension == "swift" { return [folder] }
        guard
            let walk = FileManager.default.enumerator(
                at: folder, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles]),
            FileManager.default.fileExists(atPath: folder.path)
        else { throw PluginError("the folder \(folder.path) does not exist") }
        return walk.compactMap { $0 as? URL }.filter { file in
            file.pathExtension == "swift" && !leavesOut(file, in: folder)
        }
    }
}

private struct PluginError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
