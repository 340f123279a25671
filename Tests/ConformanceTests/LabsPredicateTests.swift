import CoreData
import XCTest

final class LabsPredicateTests: LabsTestCase {
    private var context: NSManagedObjectContext!
    private let date = Date(timeIntervalSinceReferenceDate: 500_000_000)

    override func setUpWithError() throws {
        try super.setUpWithError()
        context = container(Movies.model).viewContext
        let drama = insert(Genre.self, into: context, ["name": "Drama"])
        let comedy = insert(Genre.self, into: context, ["name": "Comedy"])
        let rows: [(String, Int, Double, Double, Genre)] = [
            ("The Apartment", 1960, 8.3, 10, comedy), ("Playtime", 1967, 7.9, 20, comedy),
            ("Persona", 1966, 8.1, 30, drama), ("the Servant", 1963, 7.8, 40, drama),
        ]
        for (number, row) in rows.enumerated() {
            let values: [String: Any] = [
                "title": row.0, "year": row.1, "rating": row.2, "uniqueId": "m\(number)",
                "releaseDate": date.addingTimeInterval(row.3), "whatKind": row.4,
            ]
            _ = insert(Movie.self, into: context, values)
        }
        try context.save()
    }

    override func tearDownWithError() throws {
        context = nil
        try super.tearDownWithError()
    }

    /// Fetches movies, and checks that the predicate selects the same ones from an array in memory.
    private func movies(
        _ format: String, _ arguments: Any..., line: UInt = #line
    ) throws -> [String] {
        let request = NSFetchRequest<Movie>(entityName: "Movie")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let all = try context.fetch(request)
        let predicate = NSPredicate(format: format, argumentArray: arguments)
        request.predicate = predicate
        let found = try context.fetch(request)
        XCTAssertEqual(found, all.filter { predicate.evaluate(with: $0) }, line: line)
        return found.compactMap(\.title)
    }

    private func genres(_ format: String, _ arguments: Any...) throws -> [String] {
        let request = NSFetchRequest<Genre>(entityName: "Genre")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        return try context.fetch(request).compactMap(\.name).sorted()
    }

    func testL28_textOperators() throws {
        XCTAssertEqual(try movies("title contains %@", "ers"), ["Persona"])
        XCTAssertEqual(try movies("title contains[c] %@", "THE").count, 2)
        XCTAssertEqual(try movies("title BEGINSWITH %@", "P"), ["Persona", "Playtime"])
        XCTAssertEqual(try movies("title BEGINSWITH[c] %@", "the s"), ["the Servant"])
        XCTAssertEqual(try movies("uniqueId = %@", "m2"), ["Persona"])
    }

    func testL28_numbersDatesAndToOnePaths() throws {
        let after = date.addingTimeInterval(25) as NSDate
        XCTAssertEqual(try movies("releaseDate > %@", after), ["Persona", "the Servant"])
        XCTAssertEqual(
            try movies("whatKind.name = %@", "Comedy"), ["Playtime", "The Apartment"])
        XCTAssertEqual(try movies("year BETWEEN {1961, 1966}"), ["Persona", "the Servant"])
        XCTAssertEqual(try movies("year IN %@", [1960, 1967] as NSArray).count, 2)
    }

    func testL28_anyOverToMany() throws {
        XCTAssertEqual(try genres("any movies.title contains %@", "Play"), ["Comedy"])
        XCTAssertEqual(try genres("any movies.rating > %@", 8 as NSNumber), ["Comedy", "Drama"])
        XCTAssertEqual(try genres("any movies.rating > %f", 8.2), ["Comedy"])
    }

    func testL28_booleanOperators() throws {
        let or = "(year = %@) OR (title = %@)"
        XCTAssertEqual(
            try movies(or, 1966 as NSNumber, "Playtime"), ["Persona", "Playtime"])
        XCTAssertEqual(try movies("year > %d && rating > %d", 1961, 8), ["Persona"])
        XCTAssertEqual(try movies("year = 1960 || year = 1967").count, 2)
        XCTAssertEqual(try movies("NOT (year < 1966)"), ["Persona", "Playtime"])
    }

    func testL28_keysAsArgumentsAndPredicatesBuiltInCode() throws {
        XCTAssertEqual(try movies("%K = %@", "title", "Persona"), ["Persona"])
        let request = NSFetchRequest<Movie>(entityName: "Movie")
        request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "year > 1960"),
            NSComparisonPredicate(
                leftExpression: NSExpression(forKeyPath: "rating"),
                rightExpression: NSExpression(forConstantValue: 8),
                modifier: .direct, type: .lessThan),
        ])
        XCTAssertEqual(try context.count(for: request), 2)
    }

    func testL28_countsOfToMany() throws {
        XCTAssertEqual(try genres("movies.@count > 1"), ["Comedy", "Drama"])
        XCTAssertEqual(try genres("movies.@count > 5"), [])
    }

    func testL28_objectsAsArguments() throws {
        let request = NSFetchRequest<Genre>(entityName: "Genre")
        request.predicate = NSPredicate(format: "name = %@", "Drama")
        let drama = try XCTUnwrap(try context.fetch(request).first)
        XCTAssertEqual(
            try movies("whatKind = %@ && year > %@", drama, 1963 as NSNumber), ["Persona"])
    }
}
