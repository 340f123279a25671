import CoreDataEngine
import CoreDataStore
import Foundation
import Testing

@Suite struct NotificationOnDemandTests {
    // `@unchecked Sendable` because the test posts and reads on one thread.
    private final class Received: @unchecked Sendable {
        var infos: [[AnyHashable: Any]?] = []
    }

    @Test func `D-053 user info is built only after the name was read, and always posted`() {
        let notification = NotificationOnDemand("Faultline.Test.\(UUID().uuidString)")
        let (poster, received) = (NSObject(), Received())
        let token = NotificationCenter.default.addObserver(
            forName: nil, object: poster, queue: nil
        ) { received.infos.append($0.userInfo) }
        defer { NotificationCenter.default.removeObserver(token) }
        var made = 0
        func info() -> [AnyHashable: Any] {
            made += 1
            return ["made": made]
        }
        notification.post(from: poster, info())
        #expect(made == 0 && received.infos.count == 1 && received.infos[0] == nil)
        let name = notification.mention()
        notification.post(from: poster, info())
        #expect(name == notification.name && made == 1)
        #expect(received.infos.count == 2 && received.infos[1]?["made"] as? Int == 1)
    }

    @Test func `reading a public notification name turns on its sets`() throws {
        let stack = try GraphStack(GraphModels.moody())
        let context = stack.context()
        let names: [Notification.Name] = [
            .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSave,
            .NSManagedObjectContextDidSaveObjectIDs,
        ]
        let received = Received()
        let tokens = names.map {
            NotificationCenter.default.addObserver(forName: $0, object: context, queue: nil) {
                received.infos.append($0.userInfo)
            }
        }
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        let country = try context.on {
            let made = context.make("Country", ["code": "A"])
            try context.save()
            return made
        }
        #expect(received.infos.count == 3)
        #expect(received.infos[0]?[NSInsertedObjectsKey] as? Set<NSManagedObject> == [country])
        #expect(received.infos[1]?[NSInsertedObjectsKey] as? Set<NSManagedObject> == [country])
        let ids = received.infos[2]?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>
        #expect(ids == [country.objectID])
    }
}
