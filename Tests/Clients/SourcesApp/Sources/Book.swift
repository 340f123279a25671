import CoreData
import Foundation

@objc enum BookKind: Int16 { case novel, poem, atlas }

/// The words @objc, dynamic, #keyPath(Book.title) and @NSManaged in a comment stay as they are.
@objc(LibraryBook)
@objcMembers
public class Book: NSManagedObject {
    @NSManaged public var title: String?
    @NSManaged public var pages: Int32
    @NSManaged var count16: Int16, count64: Int64
    @NSManaged final var rating: Double
    @NSManaged var weight: Float
    @NSManaged public var isRead: Bool
    @NSManaged open dynamic var added: Date?
    @NSManaged @objc var cover: Data?
    @NSManaged /* between */ var code: UUID?
    @NSManaged var link: URL?
    @NSManaged var price: NSDecimalNumber?
    @NSManaged var kind: BookKind
    @NSManaged var stamp: TimeInterval
    @NSManaged var number: NSNumber?
    @NSManaged var note: String?
    @NSManaged private var secret: String!
    @NSManaged internal private(set) var shelf: Shelf?  // behind
    #if os(Linux) || os(macOS)
        @NSManaged var readers: Set<Shelf>
    #else
        @NSManaged var readers: NSSet
    #endif

    static let quoted = "@NSManaged var title and #keyPath(Book.title)"
    static let raw = #"#selector(Book.turn(_:)) \(not interpolated)"#
    static let inside = "path: \(#keyPath(Book.title))"
    static let many = """
        @objc dynamic #keyPath(x)
        \(#keyPath(Book.shelf.name))
        """

    @objc func turn(_ page: Int) {}
    @objc func turn(to page: Int, quickly: Bool) {}
    @objc func turnPage(number: Int) {}
    @objc(customName:) func renamed(_ value: Int) {}
    @IBAction func tapped(_ sender: Any) {}
    @objc dynamic var isOpen = false
    func setSecret(_ text: String) { secret = text }
    func readSecret() -> String { secret }
    func put(on shelf: Shelf?) { self.shelf = shelf }
    func pathInside() -> String { #keyPath(shelf.name) }

    struct Inner { @objc class Deep: NSObject { @objc dynamic var depth = 3 } }
}

extension Book {
    var awakened: Bool { note == "awake" }
    override public func awakeFromInsert() {
        super.awakeFromInsert()
        markAwake()
    }
    private func markAwake() { note = "awake" }
}
