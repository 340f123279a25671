import CoreData

typealias LibraryMember = Member
typealias Shelves = Catalogue.Shelf

@objc(Member) class Member: NSManagedObject {
    @NSManaged var name: String?
    @NSManaged @objc(isKnown) var known: Bool
    @NSManaged var friends: Set<Member>?
    @NSManaged var favourites: NSOrderedSet
    @NSManaged var mentor: Member?
    @NSManaged var URL: Catalogue.Shelf?
    @NSManaged var größe: Int16
    @NSManaged var `class`: String?

    static var ownPath: String { #keyPath(Self.mentor.name) }
    var inside: [String] { [#keyPath(name), #keyPath(self.mentor.known), #keyPath(URL.label)] }
    func inClosure() -> [String] { ["x"].map { _ in #keyPath(Member.friends.mentor) } }
}

enum Catalogue {
    @objc(CatalogueShelf) class Shelf: NSObject {
        @objc dynamic var label = ""
        @objc(ownerName) dynamic var owner: Member?
        class Deep: NSObject { @objc var end: Int = 0 }
        @objc var deep: Deep?
    }
}

extension Catalogue.Shelf {
    var paths: String { #keyPath(label) + " " + #keyPath(deep.end) + " " + #keyPath(Deep.end) }
}

extension LibraryMember {
    @objc var shelf: Shelves? { nil }
    static var aliasPath: String { #keyPath(LibraryMember.shelf.owner) }
}

@objc protocol Labelled { var label: String { get } }

func pathOf<T: Member>(_ type: T.Type) -> String { #keyPath(Member.friends.name) + "\(T.self)" }

func checkKeyPaths() {
    let member = entity(
        "Member",
        [
            attribute("name", .stringAttributeType), attribute("isKnown", .booleanAttributeType),
            attribute("größe", .integer16AttributeType), attribute("class", .stringAttributeType),
            SnippetModel.relationship("mentor", to: NSEntityDescription(), many: false),
        ])
    let mentor = member.relationshipsByName["mentor"]
    mentor?.destinationEntity = member
    let context = stack([member])
    let object = Member(context: context)
    expect("a path by Self", Member.ownPath, "mentor.name")
    expect("paths inside of a class", object.inside, ["name", "mentor.isKnown", "URL.label"])
    expect("a path in a closure", object.inClosure(), ["friends.mentor"])
    expect("a path through a set", #keyPath(Member.friends.known), "friends.isKnown")
    expect("a path through an alias", #keyPath(LibraryMember.known), "isKnown")
    expect("a property in capitals", #keyPath(Member.URL.owner.known), "URL.ownerName.isKnown")
    expect("a path of an alias's extension", Member.aliasPath, "shelf.ownerName")
    expect("a path of a nested class's extension", Shelves().paths, "label deep.end end")
    expect("a path of a module's class", #keyPath(SourcesApp.Member.known), "isKnown")
    expect("a path of a protocol", #keyPath(Labelled.label), "label")
    expect("a path of a nested class of a class", #keyPath(Catalogue.Shelf.Deep.end), "end")
    expect("a path in a generic function", pathOf(Member.self), "friends.nameMember")
    expect("a path with a keyword", #keyPath(Member.`class`), "class")
    expect("a path beyond ASCII", #keyPath(Member.größe), "größe")
    object.größe = 3
    object.class = "x"
    object.mentor = object
    expect("a property beyond ASCII", object.value(forKey: #keyPath(Member.größe)) as? Int, 3)
    let predicate = NSPredicate(
        format: "%K == %d AND %K == %@", #keyPath(Member.größe), 3, #keyPath(Member.class), "x")
    expect("paths in a predicate", predicate.evaluate(with: object), true)
    let request = NSFetchRequest<Member>(entityName: "Member")
    request.predicate = NSPredicate(format: "\(#keyPath(Member.mentor.größe)) > 2")
    request.sortDescriptors = [NSSortDescriptor(key: #keyPath(Member.name), ascending: true)]
    expect("a path in an interpolated format", try? context.fetch(request), [object])
    expect(
        "a path of a class of Foundation", #keyPath(Foundation.Operation.isFinished), "isFinished")
}
