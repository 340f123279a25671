import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Testing

/// Tests that stores in memory return the same dictionaries as SQLite.
@Suite struct MemoryTableTests {
    private let stores: [Shelf]

    struct Question: Sendable, CustomTestStringConvertible {
        var entity = "Book"
        var properties: [String] = []
        var groups: [String] = []
        var having: String?
        var predicate: String?
        var sort: [String] = ["title"]
        var isDistinct = false
        var limit = 0
        var offset = 0

        var testDescription: String {
            "\(entity) \(properties) by \(groups) having \(having ?? "-") where \(predicate ?? "-")"
        }
    }

    init() throws {
        stores = try [NSSQLiteStoreType, NSInMemoryStoreType].map {
            try Shelf(
                [
                    ("a", 1999, "Ada"), ("b", 2000, "Ada"), ("c", 2007, "Bob"), ("d", 2001, nil),
                    ("d", 2001, nil),
                ], type: $0)
        }
    }

    /// Parses the name of a property, or `name = expression : type`.
    private func property(_ text: String) -> Any {
        let parts = text.components(separatedBy: " = ")
        guard parts.count == 2 else { return text }
        let typed = parts[1].components(separatedBy: " : ")
        let made = NSExpressionDescription()
        made.name = parts[0]
        made.expression = NSExpression(format: typed[0], argumentArray: [])
        switch typed.last {
        case "integer": made.expressionResultType = .integer64AttributeType
        case "double": made.expressionResultType = .doubleAttributeType
        case "text": made.expressionResultType = .stringAttributeType
        default: made.expressionResultType = .undefinedAttributeType
        }
        return made
    }

    /// The result of the fetch as lines of text, which are the same for all stores.
    private func answer(_ question: Question, _ shelf: Shelf) -> [String] {
        let request = NSFetchRequest<NSDictionary>(entityName: question.entity)
        request.resultType = .dictionaryResultType
        if !question.properties.isEmpty {
            request.propertiesToFetch = question.properties.map(property)
        }
        if !question.groups.isEmpty { request.propertiesToGroupBy = question.groups }
        request.havingPredicate = question.having.map { NSPredicate(format: $0) }
        request.predicate = question.predicate.map { NSPredicate(format: $0) }
        request.sortDescriptors = question.sort.map { NSSortDescriptor(key: $0, ascending: true) }
        request.returnsDistinctResults = question.isDistinct
        request.fetchLimit = question.limit
        request.fetchOffset = question.offset
        return shelf.context.performAndWait {
            do {
                return try shelf.context.fetch(request).map { row in
                    row.map { key, value in
                        let id = (value as? NSManagedObjectID)?.uriRepresentation()
                            .lastPathComponent
                        return "\(key): \(id ?? "\(value)")"
                    }.sorted().joined(separator: ", ")
                }
            } catch {
                return ["\((error as NSError).localizedDescription.prefix(40))"]
            }
        }
    }

    private static let questions = [
        Question(),
        Question(properties: ["title", "year"], limit: 2, offset: 1),
        Question(properties: ["author", "author.name"]),
        Question(
            entity: "Author", properties: ["name"], predicate: "ANY books.year < 2005", sort: []),
        Question(
            properties: [
                "n = count:(author)", "mean = average:(year) : double",
                "whole = average:(year) : integer", "text = sum:(year) : text",
                "first = min:(year)", "last = max:(title)", "sum = sum:(year)",
            ], sort: []),
        Question(
            properties: ["n = count:(title)", "sum = sum:(year)", "mean = average:(year)"],
            predicate: "title = 'nobody'", sort: []),
        Question(properties: ["title", "last = max:(year)"], predicate: "year > 1999"),
        Question(
            properties: ["author.name", "n = count:(title) : integer"], groups: ["author.name"],
            having: "$n > 1", sort: ["author.name"]),
        Question(
            properties: ["title", "year", "n = count:(title)"], groups: ["title", "year"]),
        Question(
            entity: "Author", properties: ["name", "n = count:(books)"], groups: ["name"],
            sort: ["name"]),
        Question(entity: "Author", properties: ["name", "n = count:(books)"], sort: ["name"]),
        Question(properties: ["author.name"], sort: ["author.name"], isDistinct: true),
        Question(properties: ["loud = uppercase:(title)", "next = year + 1"]),
        Question(entity: "Author", properties: ["books"], sort: []),
        Question(properties: ["title"], groups: ["year"]),
        Question(properties: ["title", "n = count:(title)"], groups: ["year"], sort: []),
        Question(properties: ["title"], having: "$n > 1", sort: []),
    ]

    @Test(arguments: questions)
    func `a store in memory returns the same rows as SQLite`(question: Question) {
        let answers = stores.map { answer(question, $0) }
        #expect(answers[0] == answers[1])
        #expect(!answers[0].isEmpty)
    }
}
