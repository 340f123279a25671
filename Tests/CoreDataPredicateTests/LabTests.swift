import Testing

@testable import CoreDataPredicate

@Suite struct LabTests {
    private static func date(_ day: Double) -> Date { Date(timeIntervalSinceReferenceDate: day) }

    private static var movies: [[String: Any]] {
        [
            [
                "title": "The Matrix", "year": 1999, "rating": Float(8.5), "uniqueId": "m1",
                "releaseDate": date(10), "whatKind": ["name": "Action"],
            ],
            [
                "title": "Amélie", "year": 2001, "rating": Float(8), "uniqueId": "m2",
                "releaseDate": date(20), "whatKind": ["name": "Comedy"],
            ],
            [
                "title": "the end", "year": 2001, "rating": Float(3), "uniqueId": "m3",
                "releaseDate": date(30),
            ],
        ]
    }

    @Test(
        arguments: [
            ("title contains %@", ["The"], ["m1"]),
            ("title contains[c] %@", ["the"], ["m1", "m3"]),
            ("title contains[cd] %@", ["AMELIE"], ["m2"]), ("title BEGINSWITH %@", ["the"], ["m3"]),
            ("uniqueId = %@", ["m2"], ["m2"]), ("releaseDate > %@", [date(15)], ["m2", "m3"]),
            ("whatKind.name = %@", ["Action"], ["m1"]),
            ("(year = %@) OR (title = %@)", [1999, "the end"], ["m1", "m3"]),
            ("year == %d && rating > %f", [2001, 5.0], ["m2"]),
            ("year < 2000 || rating < 4", [], ["m1", "m3"]),
            ("%K == %@", ["year", 2001], ["m2", "m3"]),
            ("whatKind == nil", [], ["m3"]),
        ] as [(String, [any Sendable], [String])])
    func `L28 a predicate filters an array in memory`(
        format: String, arguments: [any Sendable], ids: [String]
    ) {
        let predicate = NSPredicate(format: format, argumentArray: arguments)
        #expect(Self.movies.filtered(using: predicate).map { $0["uniqueId"] as? String } == ids)
    }

    @Test func `L28 ANY searches a to-many, and counts are compared`() {
        let genres: [[String: Any]] = [
            ["name": "All", "movies": NSSet(array: Self.movies)],
            ["name": "None", "movies": NSSet()],
        ]
        func names(_ format: String, _ arguments: Any...) -> [String?] {
            genres.filtered(using: NSPredicate(format: format, argumentArray: arguments))
                .map { $0["name"] as? String }
        }
        #expect(names("any movies.title contains %@", "Matrix") == ["All"])
        #expect(names("any movies.rating > %@", 9) == [])
        #expect(names("any movies.rating > %@", 8.25) == ["All"])
        #expect(names("movies.@count > 2") == ["All"])
        #expect(names("movies.@count == 0") == ["None"])
    }

    @Test func `L28 compounds built in code filter like their formats`() {
        let compound = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "year = %d", 2001),
            NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "rating < 5")),
        ])
        #expect(compound.predicateFormat == "year == 2001 AND NOT rating < 5")
        #expect(Self.movies.filtered(using: compound).map { $0["uniqueId"] as? String } == ["m2"])
    }

    @Test func `L28 an object and a date can be combined`() {
        let ann = Author("Ann")
        let bob = Author("Bob")
        let tweets: [[String: Any]] = [
            ["id": 1, "tweeter": ann, "created": Self.date(1)],
            ["id": 2, "tweeter": ann, "created": Self.date(9)],
            ["id": 3, "tweeter": bob, "created": Self.date(9)],
        ]
        let predicate = NSPredicate(format: "tweeter = %@ && created > %@", ann, Self.date(5))
        #expect(tweets.filtered(using: predicate).map { $0["id"] as? Int } == [2])
    }

    @Test func `L29 collection operators work on dictionaries`() {
        let user: [String: Any] = [
            "tweets": [
                ["text": "short", "tweet": ["latitude": 10.0, "longitude": 1]],
                ["text": "longer text", "tweet": ["latitude": 20.0, "longitude": 2]],
            ] as [[String: Any]]
        ]
        func value(_ path: String) -> Any? {
            NSExpression(forKeyPath: path).expressionValue(with: user, context: nil)
        }
        #expect(value("tweets.tweet.@avg.latitude") as? Double == 15)
        #expect(value("tweets.text.length") as? [Int] == [5, 11])
        #expect(value("tweets.@count") as? Int == 2)
        #expect(value("tweets.text.@max.length") as? Int == 11)
        #expect(value("tweets.@distinctUnionOfObjects.tweet.longitude") as? [Double] == [1, 2])
    }
}
