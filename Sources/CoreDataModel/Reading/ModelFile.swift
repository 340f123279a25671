import Foundation

// Finds and reads the file that contains a model.

extension NSManagedObjectModel {
    /// Reads a model from a file or folder in one of Xcode's formats.
    ///
    /// - Parameters:
    ///   - url: an `.xcdatamodeld` or `.xcdatamodel` folder, a `contents` file, or a compiled
    ///     `.momd` folder or `.mom` file.
    ///   - version: the name of a version inside a folder; nil for the current one.
    /// - Returns: a mutable model.
    /// - Throws: all findings, with file, line and column.
    package static func load(
        contentsOf url: URL, version: String? = nil
    ) throws(ModelError) -> NSManagedObjectModel {
        let model = try read(url, version: version)
        model.versionName = ModelFile.versionName(of: url, version)
        model.versionsFolder = ModelFile.versionsFolder(of: url)
        model.classModules = ModelFile.modules(ofResourceAt: url)
        return model
    }

    private static func read(
        _ url: URL, version: String?
    ) throws(ModelError) -> NSManagedObjectModel {
        switch url.pathExtension {
        case "xcdatamodeld":
            try ModelFile.checkExists(url)
            return try read(ModelFile.folder(of: version, in: url))
        case "momd":
            try ModelFile.checkExists(url)
            let file = try ModelFile.compiled(version, in: url)
            return try readCompiled(file)
        case "mom":
            return try readCompiled(url)
        case "omo":
            throw ModelFile.failure(
                .unsupported, url, "an .omo file cannot be read; use the .mom file next to it.")
        default:
            if version != nil {
                throw ModelFile.failure(
                    .noSuchVersion, url,
                    "only an .xcdatamodeld or .momd has versions; do not name a version.")
            }
            return try read(url)
        }
    }

    /// Reads a `.mom` file, and its hashes in the `VersionInfo.plist` of its `.momd`.
    private static func readCompiled(_ file: URL) throws(ModelError) -> NSManagedObjectModel {
        let model = try parse(compiled: ModelFile.data(at: file), path: file.path)
        let folder = file.deletingLastPathComponent()
        if folder.pathExtension == "momd" {
            let name = file.deletingPathExtension().lastPathComponent
            model.compiledHashes = VersionInfo(folder).hashes[name] ?? [:]
        }
        return model
    }

    private static func read(_ url: URL) throws(ModelError) -> NSManagedObjectModel {
        let file = ModelFile.isFolder(url) ? ModelFile.content(of: url) : url
        return try parse(ModelFile.data(at: file), path: file.path)
    }

    /// Reads a `contents` file, or the archive that older versions of Xcode wrote in its place.
    /// Messages contain `path`.
    package static func parse(
        _ data: Data, path: String
    ) throws(ModelError) -> NSManagedObjectModel {
        let model = try assemble(data, path: path)
        model.classModules = []
        return model
    }

    private static func assemble(
        _ data: Data, path: String
    ) throws(ModelError) -> NSManagedObjectModel {
        let root =
            data.starts(with: Array("bplist".utf8))
            ? try EditorArchive.tree(data, path: path) : try XMLTreeReader.read(data, path: path)
        return try ModelAssembler(root, path: path).model()
    }

    /// Reads the bytes of a `.mom` file. Messages contain `path`.
    package static func parse(
        compiled data: Data, path: String
    ) throws(ModelError) -> NSManagedObjectModel {
        let model = try ModelUnarchiver.model(data, path: path)
        model.classModules = []
        return model
    }
}

enum ModelFile {
    static func failure(_ kind: ModelError.Kind, _ url: URL, _ message: String) -> ModelError {
        ModelError(ModelError.Finding(kind, message, at: ModelError.Location(path: url.path)))
    }

    static func isFolder(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
        return exists && isFolder.boolValue
    }

    /// The model's file in an `.xcdatamodel`: `contents`, or `elements` in older models.
    static func content(of folder: URL) -> URL {
        let xml = folder.appendingPathComponent("contents")
        let archive = folder.appendingPathComponent("elements")
        let isOld =
            !FileManager.default.fileExists(atPath: xml.path)
            && FileManager.default.fileExists(atPath: archive.path)
        return isOld ? archive : xml
    }

    static func checkExists(_ url: URL) throws(ModelError) {
        guard !FileManager.default.fileExists(atPath: url.path) else { return }
        throw failure(
            .unreadableFile, url,
            "the file does not exist; use an .xcdatamodeld, .xcdatamodel, .momd or .mom.")
    }

    static func data(at url: URL) throws(ModelError) -> Data {
        try checkExists(url)
        if isFolder(url) {
            throw failure(.unreadableFile, url, "the path is a folder; use the file in the folder.")
        }
        do {
            return try Data(contentsOf: url)
        } catch {
            throw failure(.unreadableFile, url, "the file cannot be read: \(error).")
        }
    }

    /// The modules to which the resource bundle of a file may belong. A bundle is named
    /// `Package_Target.resources`. If the name has several underscores, any of them may separate
    /// the two, so several modules are returned.
    static func modules(ofResourceAt url: URL) -> [String] {
        let suffix = ".resources"
        guard let bundle = url.pathComponents.last(where: { $0.hasSuffix(suffix) }) else {
            return []
        }
        let parts = bundle.dropLast(suffix.count).split(separator: "_")
        return parts.indices.dropFirst().map { index in
            parts[index...].joined(separator: "_").replacingOccurrences(of: "-", with: "_")
        }
    }

    /// The name of a version: the given name, the current version of a folder, or the file's name.
    static func versionName(of url: URL, _ version: String?) -> String? {
        let file =
            switch url.pathExtension {
            case "xcdatamodeld": try? folder(of: version, in: url)
            case "momd": try? compiled(version, in: url)
            case "xcdatamodel", "mom": url
            default: url.deletingLastPathComponent()
            }
        return file?.deletingPathExtension().lastPathComponent
    }

    static func versionsFolder(of url: URL) -> URL? {
        [url, url.deletingLastPathComponent()].first {
            $0.pathExtension == "xcdatamodeld" || $0.pathExtension == "momd"
        }
    }

    static func folder(of version: String?, in url: URL) throws(ModelError) -> URL {
        guard isFolder(url) else {
            throw failure(.unreadableFile, url, "the folder does not exist; use an .xcdatamodeld.")
        }
        let names = versions(in: url)
        guard !names.isEmpty else {
            throw failure(
                .notAModel, url, "the folder contains no .xcdatamodel; use a folder that does.")
        }
        let current = if let version { version } else { try currentVersion(in: url) }
        guard let wanted = current ?? (names.count == 1 ? names.first : ownName(of: url, names))
        else {
            throw failure(
                .noSuchVersion, url,
                "the folder has no .xccurrentversion; choose one of the versions "
                    + "\(names.joined(separator: ", ")).")
        }
        guard names.contains(wanted) else {
            throw failure(
                .noSuchVersion, url,
                "the version \"\(wanted)\" does not exist; "
                    + "choose one of \(names.joined(separator: ", ")).")
        }
        return url.appendingPathComponent(wanted + ".xcdatamodel")
    }

    static func currentName(of url: URL, _ names: [String]) throws(ModelError) -> String {
        guard url.pathExtension == "xcdatamodeld" else { return names.first ?? "" }
        return try folder(of: nil, in: url).deletingPathExtension().lastPathComponent
    }

    static func versions(in url: URL) -> [String] {
        names(of: ".xcdatamodel", in: url)
    }

    static func compiledVersions(in url: URL) -> [String] { names(of: ".mom", in: url) }

    private static func names(of suffix: String, in url: URL) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return files.filter { $0.hasSuffix(suffix) }
            .map { String($0.dropLast(suffix.count)) }.sorted()
    }

    static func compiled(_ version: String?, in url: URL) throws(ModelError) -> URL {
        let info = url.appendingPathComponent("VersionInfo.plist")
        let plist = (try? data(at: info)).flatMap(PropertyListReader.read)
        let current = (plist as? [String: Any])?["NSManagedObjectModel_CurrentVersionName"]
        guard let name = version ?? current as? String else {
            throw failure(
                .noSuchVersion, info,
                "the file has no current version; choose a version, or use a .mom file.")
        }
        let file = url.appendingPathComponent(name + ".mom")
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw failure(
                .noSuchVersion, url, "the version \"\(name)\" does not exist; use a .mom file.")
        }
        return file
    }

    private static func ownName(of url: URL, _ names: [String]) -> String? {
        let name = url.deletingPathExtension().lastPathComponent
        return names.contains(name) ? name : nil
    }

    private static func currentVersion(in url: URL) throws(ModelError) -> String? {
        let file = url.appendingPathComponent(".xccurrentversion")
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        let plist = PropertyListReader.read(try data(at: file))
        guard let entries = plist as? [String: Any] else {
            throw failure(
                .notAModel, file,
                "the file has no current version; "
                    + "write a property list with _XCCurrentVersionName.")
        }
        // Xcode writes an empty list for a model that never had a second version.
        guard let name = entries["_XCCurrentVersionName"] as? String else { return nil }
        return name.hasSuffix(".xcdatamodel") ? String(name.dropLast(12)) : name
    }
}
