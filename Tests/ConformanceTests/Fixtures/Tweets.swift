import CoreData

enum Tweets {
    static let model = makeModel()

    private static func makeModel() -> NSManagedObjectModel {
        let tweet = entity(
            "Tweet", Tweet.self,
            [
                attribute("created", .dateAttributeType), attribute("id", .stringAttributeType),
                attribute("text", .stringAttributeType),
            ])
        let user = entity(
            "TwitterUser", TwitterUser.self,
            [
                attribute("name", .stringAttributeType),
                attribute("screenName", .stringAttributeType),
            ])
        relate(End(owner: user, name: "tweets", toMany: true), End(owner: tweet, name: "tweeter"))
        return ConformanceTests.model(tweet, user)
    }
}

final class Tweet: NSManagedObject {
    /// A handwritten accessor of the primitive value.
    var text: String? {
        get {
            willAccessValue(forKey: "text")
            defer { didAccessValue(forKey: "text") }
            return primitiveValue(forKey: "text") as? String
        }
        set {
            willChangeValue(forKey: "text")
            setPrimitiveValue(newValue, forKey: "text")
            didChangeValue(forKey: "text")
        }
    }
}

final class TwitterUser: NSManagedObject {}
