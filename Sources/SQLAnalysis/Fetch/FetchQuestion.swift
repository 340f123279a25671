import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import LabFiles

/// A fetch request as the user describes it on the command line.
package struct FetchQuestion: Sendable {
    package var entity: String
    package var predicate: String?
    /// The sort keys, as `name`, `name asc` or `name desc`.
    package var sort: [String] = []
    /// Zero means no limit.
    package var limit = 0
    package var offset = 0
    package var batchSizes = [20, 100, 500]
    /// Key paths of relationships that the app reads from each object.
    package var keyPaths: [String] = []

    package init(entity: String) { self.entity = entity }
}

/// A fetch request whose names have been checked against the model.
struct CheckedQuestion {
    let question: FetchQuestion
    let entity: EntityLayout
    var predicate: NSPredicate?
    var sort: [NSSortDescriptor]
    let paths: [[String]]

    init(_ question: FetchQuestion, layout: ModelLayout) throws(InputErrors) {
        var question = question
        var sizes: Set<Int> = []
        question.batchSizes = question.batchSizes.filter { sizes.insert($0).inserted }
        self.question = question
        var errors: [InputError] = []
        func option<T>(_ name: String, _ read: () throws(WordingError) -> T) -> T? {
            do throws(WordingError) { return try read() } catch {
                errors.append(
                    InputError(file: name, problem: error.problem, remedy: error.advice))
                return nil
            }
        }
        let entity = option("<entity>") { () throws(WordingError) in
            try layout.entity(worded: question.entity)
        }
        predicate = question.predicate.flatMap { Self.predicate($0, &errors) }
        // The keys of an unknown entity cannot be checked.
        guard let entity else { throw InputErrors(errors) }
        self.entity = entity
        sort = question.sort.compactMap { text in
            option("--sort") { () throws(WordingError) in
                try WordedSortKey(worded: text, of: entity, in: layout).descriptor
            }
        }
        paths = question.keyPaths.compactMap { text in
            option("--prefetch") { () throws(WordingError) in
                try layout.relationshipPath(worded: text, from: entity)
            }
        }
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

    static func line(predicate: String) -> String {
        "request.predicate = NSPredicate(format: \(predicate.debugDescription))"
    }

    /// The lines of Swift code that create the request.
    var code: [String] {
        var lines = [
            "let request = NSFetchRequest<NSManagedObject>(entityName: \"\(entity.name)\")"
        ]
        if let predicate = question.predicate { lines.append(Self.line(predicate: predicate)) }
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
