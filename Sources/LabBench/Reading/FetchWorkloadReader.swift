import CoreData
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation
import LabFiles

/// Reads the keys `model`, `objects` and `fetch` of a workload file with `operation: fetch`.
struct FetchWorkloadReader {
    static let keys = ["model", "objects", "fetch"]
    private static let fetchKeys = ["entity", "predicate", "sort", "limit", "paths"]

    let tree: YAMLTree
    let entries: [String: YAMLTree]
    let scope: FileScope

    func operation() throws(InputError) -> Operation {
        let model = try model(required("model"))
        let layout = try layout(model)
        let (made, counts) = try objects(layout)
        var fetch: [String: YAMLTree] = [:]
        for (key, value) in try required("fetch").mapping("fetch") {
            let name = try key.text("the key")
            guard Self.fetchKeys.contains(name) else {
                throw key.error(
                    "`\(name)` does not belong under `fetch`",
                    "write one of \(Self.fetchKeys.joined(separator: ", "))")
            }
            fetch[name] = value
        }
        guard let place = fetch["entity"] else {
            throw try required("fetch").error("the entity is missing", "write `entity: …`")
        }
        let entity = try entity(place, layout)
        let work = FetchWorkload(
            file: tree.file, model: model, made: made, entity: entity.name,
            predicate: try fetch["predicate"].map(predicate),
            sort: try sort(fetch["sort"], entity, layout),
            limit: try fetch["limit"].map(limit) ?? 0,
            paths: try paths(fetch["paths"], entity, layout))
        // The other keys have been checked, so an error of the trial fetch is an error in the
        // predicate.
        try tryOut(work, fetch["predicate"] ?? place)
        return .fetch(work, counts: counts)
    }

    private func required(_ key: String) throws(InputError) -> YAMLTree {
        guard let value = entries[key] else {
            throw tree.error(
                "the key `\(key)` is missing, which `operation: fetch` needs", "write `\(key): …`")
        }
        return value
    }

    // MARK: The model

    private func model(_ place: YAMLTree) throws(InputError) -> NSManagedObjectModel {
        let url = URL(fileURLWithPath: try path(of: place))
        do throws(ModelError) {
            return try NSManagedObjectModel.load(contentsOf: url)
        } catch {
            let what = error.findings.first.map { finding in
                (finding.location.map { "\($0): " } ?? "") + finding.message
            }
            throw place.error(
                "the model cannot be used: \(what ?? url.path)",
                "name an .xcdatamodeld, .xcdatamodel, .momd or .mom")
        }
    }

    /// The resolved path of the model. It must be in one of the permitted folders.
    private func path(of place: YAMLTree) throws(InputError) -> String {
        let text = try place.text("model")
        do throws(FileProblem) {
            let path = try scope.place(of: text, in: FileScope.folder(of: tree.file))
            try FileScope.checkModel(path, named: text)
            return path
        } catch {
            throw place.error(error.what, error.instead)
        }
    }

    private func layout(_ model: NSManagedObjectModel) throws(InputError) -> ModelLayout {
        do throws(ModelError) {
            try model.freeze()
            return model.layout
        } catch {
            throw try required("model").error(
                "the model is not valid: \(error.findings.first?.message ?? "")", "fix the model")
        }
    }

    private func entity(
        _ place: YAMLTree, _ layout: ModelLayout
    ) throws(InputError) -> EntityLayout {
        let name = try place.text("the entity")
        return try place.placing { () throws(WordingError) in try layout.entity(worded: name) }
    }

    // MARK: The objects

    private func objects(
        _ layout: ModelLayout
    ) throws(InputError) -> (names: [String], counts: [Int]) {
        var names: [String] = []
        var counts: [Int] = []
        for (key, value) in try required("objects").mapping("objects") {
            let entity = try entity(key, layout)
            guard !entity.isAbstract else {
                throw key.error(
                    "`\(entity.name)` is abstract, so it cannot have objects",
                    "name an entity that inherits from it")
            }
            let text = try value.text("the number of objects")
            guard let count = Int(text.filter { $0 != "_" }), (0...1_000_000).contains(count) else {
                throw value.error("`\(text)` is not a number of objects", "write 0 to 1000000")
            }
            names.append(entity.name)
            counts.append(count)
        }
        return (names, counts)
    }

    // MARK: The request

    private func predicate(_ place: YAMLTree) throws(InputError) -> String {
        let format = try place.text("the predicate")
        do throws(PredicateFormatError) {
            _ = try NSPredicate.parse(format)
            return format
        } catch {
            throw place.error(
                error.problem, error.advice, offset: place.textOffset + error.column - 1)
        }
    }

    private func sort(
        _ place: YAMLTree?, _ entity: EntityLayout, _ layout: ModelLayout
    ) throws(InputError) -> [WordedSortKey] {
        var keys: [WordedSortKey] = []
        for element in place?.elements ?? [] {
            let text = try element.text("a sort key")
            keys.append(
                try element.placing { () throws(WordingError) in
                    try WordedSortKey(worded: text, of: entity, in: layout)
                })
        }
        return keys
    }

    private func limit(_ place: YAMLTree) throws(InputError) -> Int {
        let text = try place.text("the limit")
        guard let limit = Int(text.filter { $0 != "_" }), limit > 0 else {
            throw place.error("`\(text)` is not a limit", "write a whole number, 1 or more")
        }
        return limit
    }

    private func paths(
        _ place: YAMLTree?, _ entity: EntityLayout, _ layout: ModelLayout
    ) throws(InputError) -> [[String]] {
        var paths: [[String]] = []
        for element in place?.elements ?? [] {
            let text = try element.text("a key path")
            paths.append(
                try element.placing { () throws(WordingError) in
                    try layout.relationshipPath(worded: text, from: entity)
                })
        }
        return paths
    }

    /// Runs the fetch on an empty store, so that the engine checks keys and types.
    private func tryOut(_ work: FetchWorkload, _ place: YAMLTree) throws(InputError) {
        do {
            let folder = try WorkFolder()
            let stack = try EngineStack(folder.path + "/empty.sqlite", work.model)
            _ = try stack.context.performAndWait { try stack.context.fetch(work.request()) }
            try stack.close()
        } catch {
            let told = (error as? CoreDataError)?.message
            let error = error as NSError
            let message = told ?? error.userInfo[NSLocalizedDescriptionKey] as? String ?? "\(error)"
            throw place.error("the engine refuses the fetch: \(message)", "correct the fetch")
        }
    }
}

extension YAMLTree {
    /// Adds the position in the workload file to an error about the model.
    fileprivate func placing<T>(
        _ read: () throws(WordingError) -> T
    ) throws(InputError) -> T {
        do throws(WordingError) { return try read() } catch {
            throw self.error(error.problem, error.advice)
        }
    }
}
