import CoreData

enum Movies {
    static let model = makeModel()

    private static func makeModel() -> NSManagedObjectModel {
        let movie = entity(
            "Movie", Movie.self,
            [
                attribute("duration", .integer16AttributeType),
                attribute("posterData", .binaryDataAttributeType),
                attribute("rating", .floatAttributeType),
                attribute("releaseDate", .dateAttributeType),
                attribute("synopsis", .stringAttributeType),
                attribute("title", .stringAttributeType),
                attribute("uniqueId", .stringAttributeType),
                attribute("year", .integer16AttributeType),
            ])
        let genre = entity("Genre", Genre.self, [attribute("name", .stringAttributeType)])
        relate(
            End(owner: genre, name: "movies", toMany: true), End(owner: movie, name: "whatKind"))
        return ConformanceTests.model(movie, genre)
    }
}

final class Movie: NSManagedObject {
    var title: String? {
        get { value(forKey: "title") as? String }
        set { setValue(newValue, forKey: "title") }
    }
}

final class Genre: NSManagedObject {
    var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }
}
