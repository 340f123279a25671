import CoreData

/// A headline of a feed. Without the Objective-C runtime, each accessor must name its key.
/// `CoreDataModelPlugin` can generate such accessors from a model of Xcode's editor.
public final class Headline: NSManagedObject {
    private static let textKey = ManagedKey("text")
    private static let feedKey = ManagedKey("feed")
    private static let timesSeenKey = ManagedKey("timesSeen")

    public var text: String {
        get { managedValue(Self.textKey) }
        set { setManagedValue(Self.textKey, newValue) }
    }

    public var feed: String {
        get { managedValue(Self.feedKey) }
        set { setManagedValue(Self.feedKey, newValue) }
    }

    public var timesSeen: Int64 {
        get { managedValue(Self.timesSeenKey) }
        set { setManagedValue(Self.timesSeenKey, newValue) }
    }
}

/// The app's model, built in code.
enum HeadlineModel {
    /// One instance for the whole process. An entity can belong to only one model.
    static let shared: NSManagedObjectModel = {
        let headline = NSEntityDescription()
        headline.name = "Headline"
        headline.managedObjectClassName = NSStringFromClass(Headline.self)
        headline.properties = [
            attribute("text", .string), attribute("feed", .string),
            attribute("timesSeen", .integer64, 1),
        ]
        headline.uniquenessConstraints = [["text"]]
        let model = NSManagedObjectModel()
        model.entities = [headline]
        return model
    }()

    private static func attribute(
        _ name: String, _ type: NSAttributeDescription.AttributeType, _ value: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.type = type
        attribute.isOptional = false
        attribute.defaultValue = value ?? ""
        return attribute
    }
}
