import CoreData
import Shared

@objc(SharedChild) class SharedChild: SharedBase {
    @NSManaged var extra: String?
    @objc var childText: String { "child, " + sharedText }
    init(extra: String, entity: NSEntityDescription, context: NSManagedObjectContext) {
        super.init(entity: entity, insertInto: context)
        self.extra = extra
    }
}

extension SharedChild {
    override func inExtension() -> String { "child of " + super.inExtension() }
    override func body() -> String { "child of " + super.body() }
}

final class SharedUser: NSObject, SharedDelegate {
    var told: [String] = []
    func shared(_ base: SharedBase, changed count: Int) { told.append("changed \(count)") }
}

final class SharedSublistener: SharedListener {
    func sharedEnded() { told.append("ended") }
}

func checkSharing() throws {
    let base = entity("SharedBase", [attribute("sharedName", .stringAttributeType)])
    let child = entity("SharedChild", [attribute("extra", .stringAttributeType)], parent: base)
    let context = stack([base, child])
    let object = SharedChild(extra: "e", entity: child, context: context)
    object.name = "n"
    expect("an override of another target's extension", object.inExtension(), "child of shared")
    expect("an override in an extension of another's class", object.body(), "child of shared body")
    expect("a name of another target's property", #keyPath(SharedChild.name), "sharedName")
    expect("its value", object.value(forKey: #keyPath(SharedBase.name)) as? String, "n")
    expect(
        "computed properties of both", object.value(forKey: "childText") as? String,
        "child, text of n")
    expect("another's by key", object.value(forKey: "sharedText") as? String, "text of n")
    let user = SharedUser()
    object.delegate = user
    object.change()
    expect("an optional method of another target's protocol", user.told, ["changed 2"])
    let listener = SharedSublistener()
    object.delegate = listener
    object.change()
    expect("one of a subclass of another's class", listener.told, ["ended"])
    let delegate: SharedDelegate = listener
    delegate.sharedEnded?()
    expect("a call from here", listener.told.count, 2)
    expect(
        "a selector of another target's", "\(#selector(SharedDelegate.shared(_:changed:)))",
        "shared:changed:")
    try context.save()
    context.reset()
    let found = try context.fetch(NSFetchRequest<SharedChild>(entityName: "SharedChild"))
    expect("its missing initialiser", found.map(\.extra), ["e"])
}
