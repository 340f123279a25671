import Foundation

/// The locations that are searched for versions of models.
package struct VersionPlaces {
    private let known: [NSManagedObjectModel]
    /// The URLs of model files, and of folders with versions.
    let files: [URL]

    package init(known: [NSManagedObjectModel] = [], files: [URL]) {
        self.known = known
        var paths: Set<String> = []
        self.files = files.filter { paths.insert($0.standardizedFileURL.path).inserted }
    }

    /// The versions in the model's `knownVersions`, in the model's folder, and in bundles.
    package init(beside model: NSManagedObjectModel, bundles: [Bundle]) {
        let folder = model.versionsFolder.map { [$0] } ?? []
        self.init(
            known: model.knownVersions,
            files: folder + NSManagedObjectModel.modelURLs(in: bundles))
    }

    /// All versions. They are read lazily, the newest version of a folder first. Unreadable
    /// versions are skipped.
    package var models: some Sequence<NSManagedObjectModel> {
        let read = files.lazy.flatMap { file in
            Self.versions(of: file).lazy.compactMap { version in
                try? NSManagedObjectModel.load(contentsOf: file, version: version)
            }
        }
        return [AnySequence(known), AnySequence(read)].lazy.flatMap { $0 }
    }

    /// The names of the versions in a folder. For a file with a single version, a list with nil.
    private static func versions(of file: URL) -> [String?] {
        switch file.pathExtension {
        case "momd": newestFirst(ModelFile.compiledVersions(in: file))
        case "xcdatamodeld": newestFirst(ModelFile.versions(in: file))
        default: [nil]
        }
    }

    /// The names of the versions in a folder, the oldest first.
    package static func names(in folder: URL) -> [String] {
        versions(of: folder).compactMap { $0 }.reversed()
    }

    /// Sorts by number, because Xcode numbers the versions of a model: `Model`, `Model 2`, …,
    /// `Model 10`.
    private static func newestFirst(_ names: [String]) -> [String] {
        names.sorted { $0.compare($1, options: .numeric) == .orderedDescending }
    }
}
