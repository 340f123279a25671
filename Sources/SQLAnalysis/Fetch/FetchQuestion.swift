// Owns what a user asks of one fetch, and checking it against the store's model, so that every
// mistake is told before anything runs.

import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import LabResults

/// A fetch as the command line words it.
package struct FetchQuestion: Sendable {
    package var entity: String
    package var predicate: String?
    /// `name`, `name asc` or `name desc` each.
    package var sort: [String] = []
    /// Zero for none.
    package var limit = 0
    package var offset = 0
    /// Batch sizes to try.
    package var batchSizes = [20, 100, 500]
    /// Key paths of relationships that are read from each object.
    package var keyPaths: [String] = []

    package init(entity: String) { self.entity = entity }
}

/// A question that fits the model.
struct CheckedQuestion {
    let question: FetchQuestion
    let entity: EntityLayout
    let predicate: NSPredicate?
    let sort: [NSSortDescriptor]
    let paths: [[String]]

    init(_ question: FetchQuestion, layout: ModelLayout) throws(InputErrors) {
        self.question = question
        guard let entity = layout.entity(named: question.entity) else {
            throw InputErrors([
                InputError(
                    file: "ENTITY", problem: "there is no entity '\(question.entity)'",
                    remedy: "write one of: "
                        + layout.entities.map(\.name).sorted().joined(separator: ", "))
            ])
        }
        self.entity = entity
        var errors: [InputError] = []
        predicate = question.predicate.flatMap { Self.predicate($0, &errors) }
        sort = question.sort.compactMap { Self.sort($0, entity, &errors) }
        paths = question.keyPaths.compactMap { Self.path($0, entity, layout, &errors) }
        if !errors.isEmpty { throw InputErrors(errors) }
    }

    private static func predicate(_ format: String, _ errors: inout [InputError]) -> NSPredicate? {
        do throws(PredicateFormatError) {
            return try NSPredicate.parse(format)
        } catch {
            errors.append(
                InputError(
                    file: "--predicate", line: 1, column: error.column, problem: error.problem,
                    remedy: error.advice))
            return nil
        }
    }

    private static func sort(
        _ text: String, _ entity: EntityLayout, _ errors: inout [InputError]
    ) -> NSSortDescriptor? {
        let words = text.split(separator: " ").map(String.init)
        let direction = words.count == 2 ? words[1].lowercased() : "asc"
        guard let key = words.first, words.count <= 2, ["asc", "desc"].contains(direction) else {
            errors.append(
                InputError(
                    file: "--sort", problem: "'\(text)' is no sort key",
                    remedy: "write 'name' or 'name desc'"))
            return nil
        }
        // What follows a dot is the engine's to check.
        let first = key.split(separator: ".").first.map(String.init) ?? key
        guard entity.valueSlot(named: first) != nil else {
            let names = entity.values.filter { $0.column != nil }.map(\.name).sorted()
            errors.append(
                InputError(
                    file: "--sort", problem: "\(entity.name) has no attribute '\(first)'",
                    remedy: "write one of: \(names.joined(separator: ", "))"))
            return nil
        }
        return NSSortDescriptor(key: key, ascending: direction == "asc")
    }

    private static func path(
        _ text: String, _ entity: EntityLayout, _ layout: ModelLayout,
        _ errors: inout [InputError]
    ) -> [String]? {
        var level = entity
        let names = text.split(separator: ".").map(String.init)
        for name in names {
            if let slot = level.toManySlot(named: name) {
                level = layout[level.toMany[slot].destinationIndex]
            } else if let toOne = level.valueSlot(named: name).flatMap({ level.values[$0].toOne }) {
                level = layout[toOne.destinationIndex]
            } else {
                let known = relationships(of: level)
                errors.append(
                    InputError(
                        file: "--prefetch",
                        problem: "'\(name)' in '\(text)' is no relationship of \(level.name)",
                        remedy: known.isEmpty
                            ? "\(level.name) has none; leave it out"
                            : "write one of: \(known.joined(separator: ", "))"))
                return nil
            }
        }
        return names.isEmpty ? nil : names
    }

    static func relationships(of entity: EntityLayout) -> [String] {
        (entity.toMany.map(\.name) + entity.values.filter { $0.toOne != nil }.map(\.name)).sorted()
    }

    /// The request in Swift, line by line.
    var code: [String] {
        var lines = [
            "let request = NSFetchRequest<NSManagedObject>(entityName: \"\(entity.name)\")"
        ]
        if let predicate = question.predicate {
            lines.append("request.predicate = NSPredicate(format: \(predicate.debugDescription))")
        }
        if !sort.isEmpty {
            let list = sort.map {
                "NSSortDescriptor(key: \"\($0.key ?? "")\", ascending: \($0.ascending))"
            }
            lines.append("request.sortDescriptors = [\(list.joined(separator: ", "))]")
        }
        if question.limit > 0 { lines.append("request.fetchLimit = \(question.limit)") }
        if question.offset > 0 { lines.append("request.fetchOffset = \(question.offset)") }
        return lines
    }
}
