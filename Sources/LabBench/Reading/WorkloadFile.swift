import Foundation
import LabFiles

/// Reads workload files.
package enum WorkloadFile {
    /// The name of the thresholds file in a folder of workloads. The reader skips it.
    static let thresholdsName = "thresholds.yaml"

    static let keys =
        ["name", "about", "operation", "data", "parameters", "expect", "presets"]
        + FetchWorkloadReader.keys
    static let presetNames = ["smoke", "quick", "full"]

    /// Reads files. In folders, reads the `.yaml` files in the order of their names. The errors of
    /// all files are thrown together.
    ///
    /// - Parameter allowsOutside: whether the workloads may name files outside their folders.
    package static func load(
        _ paths: [String], allowsOutside: Bool = false
    ) throws(InputErrors) -> [Workload] {
        var workloads: [Workload] = []
        var errors: [InputError] = []
        for path in paths {
            do throws(InputError) {
                for file in try files(at: path) {
                    do throws(InputError) {
                        let scope = FileScope(ofFile: file, foundIn: path == file ? nil : path)
                        workloads.append(
                            try read(file, scope: allowsOutside ? .everything : scope))
                    } catch { errors.append(error) }
                }
            } catch { errors.append(error) }
        }
        errors += duplicates(workloads)
        guard errors.isEmpty else { throw InputErrors(errors) }
        return workloads
    }

    private static func files(at path: String) throws(InputError) -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw InputError(
                file: path, problem: "this file or folder does not exist",
                remedy: "name a workload file or a folder of workload files")
        }
        guard isFolder.boolValue else { return [path] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let prefix = path.hasSuffix("/") ? path : path + "/"
        return names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
            .filter { $0 != thresholdsName }.sorted()
            .map { prefix + $0 }
    }

    private static func duplicates(_ workloads: [Workload]) -> [InputError] {
        var seen: [String: String] = [:]
        return workloads.compactMap { workload in
            guard let first = seen.updateValue(workload.file, forKey: workload.name) else {
                return nil
            }
            return InputError(
                file: workload.file, line: 1, column: 1,
                problem: "\(first) has the name \(workload.name), too",
                remedy: "write another `name:`")
        }
    }

    /// Reads one file.
    ///
    /// - Parameter scope: the files that the workload may name; nil for the files in its folder.
    package static func read(
        _ file: String, scope: FileScope? = nil
    ) throws(InputError) -> Workload {
        try workload(YAMLTree.read(file), scope)
    }

    package static func parse(_ text: String, file: String) throws(InputError) -> Workload {
        try parse(Data(text.utf8), file: file)
    }

    package static func parse(_ bytes: Data, file: String) throws(InputError) -> Workload {
        try workload(YAMLTree.parse(bytes, file: file), nil)
    }

    private static func workload(
        _ tree: YAMLTree, _ scope: FileScope?
    ) throws(InputError) -> Workload {
        var entries: [String: YAMLTree] = [:]
        for (key, value) in try tree.mapping("a workload") {
            let name = try key.text("the key")
            guard keys.contains(name) else {
                throw key.error(
                    "`\(name)` is not a key of a workload",
                    "write one of \(keys.joined(separator: ", "))")
            }
            entries[name] = value
        }
        let name = try required("name", in: entries, of: tree)
        let about = try required("about", in: entries, of: tree)
        let scope = scope ?? FileScope(ofFile: tree.file)
        let operation = try operation(entries, of: tree, scope)
        let specs = operation.specs
        var workload = Workload(
            name: try checkedName(name), about: try about.text("about"), file: tree.file,
            operation: operation,
            settings: specs.map { ParameterSetting(spec: $0, values: [$0.standard]) },
            expectations: [], presets: [:])
        for setting in try settings(entries["data"], "data", operation.shape) {
            workload.set(setting)
        }
        for setting in try settings(entries["parameters"], "parameters", operation.parameters) {
            workload.set(setting)
        }
        workload.expectations = try predictions(entries["expect"], specs)
        if let excess = WorkloadLimits.excess(of: workload) {
            let place = entries["data"] ?? entries["objects"] ?? entries["parameters"] ?? tree
            throw place.error(excess.problem, excess.remedy)
        }
        workload.presets = try presets(entries["presets"], specs)
        for preset in workload.presets.keys.sorted() {
            if let excess = WorkloadLimits.excess(of: workload.applying(preset: preset)) {
                throw (entries["presets"] ?? tree).error(excess.problem, excess.remedy)
            }
        }
        return workload
    }

    private static func required(
        _ key: String, in entries: [String: YAMLTree], of tree: YAMLTree
    ) throws(InputError) -> YAMLTree {
        guard let value = entries[key] else {
            throw tree.error("the key `\(key)` is missing", "write `\(key): …`")
        }
        return value
    }

    private static func checkedName(_ tree: YAMLTree) throws(InputError) -> String {
        let name = try tree.text("name")
        let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        guard isPlain else {
            throw tree.error("`\(name)` is not a name", "write letters, digits and hyphens")
        }
        return name
    }

    private static func operation(
        _ entries: [String: YAMLTree], of tree: YAMLTree, _ scope: FileScope
    ) throws(InputError) -> Operation {
        let value = try required("operation", in: entries, of: tree)
        let name = try value.text("operation")
        if name == Operation.ownFetch {
            return try FetchWorkloadReader(tree: tree, entries: entries, scope: scope).operation()
        }
        for key in FetchWorkloadReader.keys {
            if let place = entries[key] {
                throw place.error(
                    "`\(key)` does not belong to `\(name)`",
                    "write `operation: \(Operation.ownFetch)`, or remove it")
            }
        }
        guard let operation = KnownOperations.named(name) else {
            let known = (KnownOperations.all.map(\.name) + [Operation.ownFetch])
                .joined(separator: ", ")
            throw value.error("`\(name)` is not an operation", "write one of \(known)")
        }
        return operation
    }

    private static func settings(
        _ tree: YAMLTree?, _ what: String, _ specs: [ParameterSpec]
    ) throws(InputError) -> [ParameterSetting] {
        guard let tree else { return [] }
        var result: [ParameterSetting] = []
        for (key, value) in try tree.mapping(what) {
            let name = try key.text("the key")
            guard let spec = specs.first(where: { $0.name == name }) else {
                let known = specs.map(\.name).joined(separator: ", ")
                throw key.error(
                    "`\(name)` does not belong under `\(what)`",
                    known.isEmpty ? "remove it" : "write one of \(known)")
            }
            result.append(ParameterSetting(spec: spec, values: try values(value, spec)))
        }
        return result
    }

    private static func values(
        _ tree: YAMLTree, _ spec: ParameterSpec
    ) throws(InputError) -> [ParameterValue] {
        var result: [ParameterValue] = []
        for element in tree.elements {
            let text = try element.text(spec.name)
            guard let value = spec.value(text) else {
                throw element.error("`\(text)` is not a value for \(spec.name)", spec.remedy)
            }
            guard !result.contains(value) else {
                throw element.error("`\(text)` is in the list twice", "keep one of them")
            }
            result.append(value)
        }
        guard !result.isEmpty else {
            throw tree.error("the list for \(spec.name) is empty", spec.remedy)
        }
        return result
    }

    private static func predictions(
        _ tree: YAMLTree?, _ specs: [ParameterSpec]
    ) throws(InputError) -> [Workload.CountPrediction] {
        guard let tree else { return [] }
        let names = Set(specs.flatMap(\.expressionNames))
        var result: [Workload.CountPrediction] = []
        for (key, value) in try tree.mapping("expect") {
            let name = try key.text("the key")
            guard let count = PredictableCount(rawValue: name) else {
                let known = PredictableCount.allCases.map(\.rawValue).joined(separator: ", ")
                throw key.error("`\(name)` is not a count", "write one of \(known)")
            }
            let text = try value.text(name)
            do throws(CountExpression.Problem) {
                let expression = try CountExpression(text, names: names)
                result.append(Workload.CountPrediction(count: count, expression: expression))
            } catch {
                throw value.error(
                    error.problem, error.remedy, offset: value.textOffset + error.offset)
            }
        }
        return result
    }

    private static func presets(
        _ tree: YAMLTree?, _ specs: [ParameterSpec]
    ) throws(InputError) -> [String: [ParameterSetting]] {
        guard let tree else { return [:] }
        var result: [String: [ParameterSetting]] = [:]
        for (key, value) in try tree.mapping("presets") {
            let name = try key.text("the key")
            guard presetNames.contains(name) else {
                throw key.error(
                    "`\(name)` is not a preset",
                    "write one of \(presetNames.joined(separator: ", "))")
            }
            result[name] = try settings(value, name, specs)
        }
        return result
    }
}
