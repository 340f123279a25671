import CoreData
import LabBench

final class Shop: NSManagedObject {
    override class var propertySlots: [String]? { ["name"] }
    override class var relationshipSlots: [String]? { ["shelves"] }

    var name: String {
        get { read(0) }
        set { write(0, newValue) }
    }

    var shelves: [NSManagedObject] { readObjects(0) }
}

final class Shelf: NSManagedObject {
    override class var propertySlots: [String]? { ["label", "shop"] }
    override class var relationshipSlots: [String]? { ["items"] }

    var label: String {
        get { read(0) }
        set { write(0, newValue) }
    }

    var shop: Shop? {
        get { readObject(1) }
        set { writeObject(1, newValue) }
    }

    var items: [NSManagedObject] {
        get { readObjects(0) }
        set { writeObjects(0, newValue) }
    }
}

final class Item: NSManagedObject {
    override class var propertySlots: [String]? { ["shelf", "size", "title"] }
    override class var relationshipSlots: [String]? { ["tags"] }

    var shelf: Shelf? {
        get { readObject(0) }
        set { writeObject(0, newValue) }
    }

    var size: Int64 {
        get { read(1) }
        set { write(1, newValue) }
    }

    var title: String {
        get { read(2) }
        set { write(2, newValue) }
    }

    var tags: [NSManagedObject] {
        get { readObjects(0) }
        set { writeObjects(0, newValue) }
    }

    /// A checksum of every property. The C code computes the same checksum.
    var touched: UInt64 {
        UInt64(bitPattern: size &* 3) &+ UInt64(title.utf8.count) &* 5 &+ (shelf != nil ? 17 : 0)
    }
}

final class Tag: NSManagedObject {
    override class var propertySlots: [String]? { ["word"] }
    override class var relationshipSlots: [String]? { ["items"] }

    var word: String {
        get { read(0) }
        set { write(0, newValue) }
    }

    var items: [NSManagedObject] { readObjects(0) }
}

extension DataShape {
    /// The number of shops. Each has ten shelves. The archive has one shelf for each author and one
    /// item for each book of the data.
    var shops: Int { max(1, authors / 10) }
}

/// Shops, their shelves, the shelves' ordered items, and tags.
struct ArchiveLibrary: LibraryKind {
    func libraryFile(_ variant: WorkloadVariant) -> String {
        "archive-\(variant.shape.fileName)"
    }

    func model(_ variant: WorkloadVariant) -> NSManagedObjectModel {
        let shop = ModelParts.entity("Shop", Shop.self)
        let shelf = ModelParts.entity("Shelf", Shelf.self)
        let item = ModelParts.entity("Item", Item.self)
        let tag = ModelParts.entity("Tag", Tag.self)
        let shelves = ModelParts.relationship("shelves", to: shelf, maxCount: 0)
        let ofShop = ModelParts.relationship("shop", to: shop, maxCount: 1)
        let items = ModelParts.relationship("items", to: item, maxCount: 0)
        items.isOrdered = true
        let ofShelf = ModelParts.relationship("shelf", to: shelf, maxCount: 1)
        let tags = ModelParts.relationship("tags", to: tag, maxCount: 0)
        let tagged = ModelParts.relationship("items", to: item, maxCount: 0)
        ModelParts.pair(shelves, ofShop)
        ModelParts.pair(items, ofShelf)
        ModelParts.pair(tags, tagged)
        shop.properties = [ModelParts.attribute("name", .stringAttributeType), shelves]
        shelf.properties = [ModelParts.attribute("label", .stringAttributeType), ofShop, items]
        item.properties = [
            ModelParts.attribute("title", .stringAttributeType),
            ModelParts.attribute("size", .integer64AttributeType), ofShelf, tags,
        ]
        tag.properties = [ModelParts.attribute("word", .stringAttributeType), tagged]
        let model = NSManagedObjectModel()
        model.entities = [shop, shelf, item, tag]
        return model
    }

    private static let tagCount = 40

    /// Inserts the shops, shelves and items for the rows of a dataset. Each item has three tags.
    func fill(_ context: NSManagedObjectContext, _ variant: WorkloadVariant) {
        let shape = variant.shape
        let rows = Dataset(shape)
        let tags = (0..<Self.tagCount).map { index in
            let tag = Tag(context: context)
            tag.word = "tag " + String(index * index)
            return tag
        }
        let shops = (0..<shape.shops).map { index in
            let shop = Shop(context: context)
            shop.name = "Shop \(index + 1)"
            return shop
        }
        var index = 0
        for (number, name) in rows.names.enumerated() {
            let shelf = Shelf(context: context)
            shelf.label = name
            shelf.shop = shops[number % shops.count]
            var items: [NSManagedObject] = []
            for _ in 0..<shape.books {
                let item = Item(context: context)
                item.title = rows.titles[index]
                item.size = rows.pages[index]
                let first = Int(rows.years[index])
                item.tags = [0, 7, 19].map { tags[(first + $0) % Self.tagCount] }
                items.append(item)
                index += 1
            }
            // The order of the items must differ from that of their primary keys.
            shelf.items = items.reversed()
        }
    }
}
