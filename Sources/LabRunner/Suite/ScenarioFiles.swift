import Foundation
import LabFiles

/// Finds the scenario files that the paths of a command name.
enum ScenarioFiles {
    /// The files that the paths name. A folder means every `.yaml` and `.yml` file inside, in the
    /// order of their paths.
    static func expand(_ paths: [String]) throws(InputErrors) -> [String] {
        var files: [String] = []
        for path in paths {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                throw InputErrors([
                    InputError(
                        file: path, problem: "this file or folder does not exist",
                        remedy: "name a scenario file, or a folder of scenario files")
                ])
            }
            files += isFolder.boolValue ? inside(path) : [path]
        }
        if files.isEmpty {
            throw InputErrors([
                InputError(
                    file: paths.first ?? ".", problem: "no scenario files were found",
                    remedy: "name a folder with '.yaml' files")
            ])
        }
        return files
    }

    private static func inside(_ folder: String) -> [String] {
        let names =
            FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        return names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
            .filter { !$0.hasSuffix(".part.yaml") }
            .sorted().map { "\(base)/\($0)" }
    }
}
