import CoreData

/// The model of Xcode's project template.
enum Events {
    static let model = makeModel()

    private static func makeModel() -> NSManagedObjectModel {
        ConformanceTests.model(
            entity("Event", Event.self, [attribute("timeStamp", .dateAttributeType)]))
    }
}

final class Event: NSManagedObject {}
