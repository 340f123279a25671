import CoreData
import CoreDataEngine
import CoreDataModel
import CoreDataStore
import Foundation

/// The small model of the fuzzed stores, and their contents.
enum FuzzLibrary {
    /// The model's source. It contains every type of attribute and every kind of relationship.
    static let modelText = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
        userDefinedModelVersionIdentifier="one">
            <entity name="Item">
                <attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="size" attributeType="Integer 64" defaultValueString="0"/>
                <attribute name="small" optional="YES" attributeType="Integer 16"/>
                <attribute name="ratio" optional="YES" attributeType="Double"/>
                <attribute name="weight" optional="YES" attributeType="Float"/>
                <attribute name="price" optional="YES" attributeType="Decimal"/>
                <attribute name="isNew" optional="YES" attributeType="Boolean"/>
                <attribute name="added" optional="YES" attributeType="Date"/>
                <attribute name="bytes" optional="YES" attributeType="Binary"/>
                <attribute name="mark" optional="YES" attributeType="UUID"/>
                <attribute name="link" optional="YES" attributeType="URI"/>
                <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Owner" inverseName="items" inverseEntity="Owner"/>
                <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" \
        destinationEntity="Tag" inverseName="items" inverseEntity="Tag"/>
            </entity>
            <entity name="Box" parentEntity="Item">
                <attribute name="depth" optional="YES" attributeType="Integer 32"/>
            </entity>
            <entity name="Owner">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="items" optional="YES" toMany="YES" ordered="YES" \
        deletionRule="Cascade" destinationEntity="Item" inverseName="owner" inverseEntity="Item"/>
                <fetchIndex name="byName">
                    <fetchIndexElement property="name" type="Binary" order="ascending"/>
                </fetchIndex>
            </entity>
            <entity name="Tag">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="items" optional="YES" toMany="YES" deletionRule="Nullify" \
        destinationEntity="Item" inverseName="tags" inverseEntity="Item"/>
            </entity>
        </model>
        """

    static func model() throws(ModelError) -> NSManagedObjectModel {
        try NSManagedObjectModel.parse(Data(modelText.utf8), path: "library/contents")
    }

    /// The model that all inputs share. Reading it takes longer than most inputs.
    private static let shared = Result { () throws(ModelError) in try model() }

    static func coordinator() throws(CoreDataError) -> NSPersistentStoreCoordinator {
        switch shared {
        case .success(let model): return try NSPersistentStoreCoordinator.make(model: model)
        case .failure(let error): throw CoreDataError(.invalidArgument, error.description)
        }
    }

    static let identifier = "F0A17110-0000-4000-8000-00000000F022"

    /// Opens a SQLite store in memory with these contents.
    static func open(
        _ image: [UInt8], tracksHistory: Bool
    ) throws(CoreDataError) -> (NSPersistentStoreCoordinator, any RewindableStore) {
        let coordinator = try coordinator()
        var request = StoreRequest(
            model: coordinator.frozenModel, trace: coordinator.trace, location: .memory(nil),
            options: [NSPersistentHistoryTrackingKey: NSNumber(value: tracksHistory)])
        request.identifier = identifier
        request.mark = StoreMark(image)
        let kind = try StoreKinds.required(NSSQLiteStoreType)
        let store = try coordinator.add(try kind.opening(request), type: kind.type)
        return (coordinator, try store.rewindable())
    }

    static func image(tracksHistory: Bool) throws(CoreDataError) -> [UInt8] {
        let (coordinator, store) = try open([], tracksHistory: tracksHistory)
        try fill(coordinator)
        return try store.mark().image ?? []
    }

    /// Saves seven objects. Then changes one of them and saves again, so the history contains two
    /// transactions.
    static func fill(_ coordinator: NSPersistentStoreCoordinator) throws(CoreDataError) {
        let context = NSManagedObjectContext(.privateQueue)
        try context.attach(to: coordinator)
        try context.performAndWait { () throws(CoreDataError) in
            func make(_ entity: String, _ values: KeyValuePairs<String, Any>) throws(CoreDataError)
                -> NSManagedObject
            {
                let object = NSEntityDescription.insertNewObject(
                    forEntityName: entity, into: context)
                for (key, value) in values { try object.writeValue(value, forKey: key) }
                return object
            }
            let owner = try make("Owner", ["name": "Ada"])
            let tags: Set = [try make("Tag", ["name": "red"]), try make("Tag", ["name": "old"])]
            for number in 0..<3 {
                let item = try make(
                    number == 2 ? "Box" : "Item",
                    [
                        "name": "thing \(number) é", "size": Int64(number) << 33,
                        "small": Int16(number), "ratio": 0.5 + Double(number), "weight": Float(2),
                        "price": NSDecimalNumber(string: "12.50"), "isNew": number == 1,
                        "added": Date(timeIntervalSinceReferenceDate: 1_000),
                        "bytes": Data([1, 2, 3, 0, 255]),
                        "link": Foundation.URL(string: "https://example.org/a?b=c") as Any,
                        "mark": UUID(uuidString: identifier) as Any, "owner": owner,
                    ])
                if number > 0 { try item.writeValue(tags as NSSet, forKey: "tags") }
            }
            try context.saveChanges()
            try owner.writeValue("Ida", forKey: "name")
            try context.saveChanges()
        }
    }
}
