import CoreData

// @NSManaged var title: String? and #keyPath(Book.title) in a line.
/* @objc dynamic /* #selector(nested) */ still a comment */

/// A class between comments.
/** @objc in a documentation block, #keyPath(Book.title). */
@objc(Commented) /* behind an attribute */
public /* before class */ class Commented:
    NSManagedObject
{
    /* @NSManaged var gone: Int */
    @NSManaged /* one */ public /* two */ var /* three */ first: String? /* four */
    @NSManaged  // to the line's end
    var second: String?
    /// A doc comment between.
    @NSManaged
    /// Another between attribute and declaration.
    var third: String?
    @objc  // @objc in a comment behind
    func /* name */ plain( /* nothing */) -> String { "plain" /* } */ }
    // #if os(iOS)
    var fourth: String { /* "quoted */ "fourth" }
    // #endif
    @NSManaged var /* a */ fifth /* b */: /* c */ String? /* d */, sixth: String?  // e
}

enum Texts {
    static let plain = "@objc dynamic var x; #selector(a(_:)) #keyPath(A.b)"
    static let raw = #"a "quoted" @NSManaged \#(#keyPath(Commented.first)) and \(none)"#
    static let rawer = ##"#"#keyPath(Commented.first)"# \##(#keyPath(Commented.second))"##
    static let lines = """
        @objc(x) override \
        // no comment: #selector(x)
        \(#keyPath(Commented.third)) "\(Texts.inner(#keyPath(Commented.fourth)))"
        """
    static let rawLines = #"""
        """ \(#keyPath(Commented.first)) \#(#keyPath(Commented.first))
        """#
    static let nested = "\("\("\(#keyPath(Commented.first))")")"
    static let closure = "\([1, 2].map { "\($0)\(#keyPath(Commented.second))" }.joined())"
    static let slashes = "https://example.com/*#keyPath*/"  // "#keyPath(
    static func inner(_ text: String) -> String { "<\(text)>" }
}

func checkComments() {
    let names = ["first", "second", "third", "fifth", "sixth"]
    let context = stack([
        entity("Commented", names.map { attribute($0, .stringAttributeType) })
    ])
    let object = Commented(context: context)
    object.first = "1"
    object.second = "2"
    object.third = "3"
    object.fifth = "5"
    object.sixth = "6"
    expect("comments around modifiers", object.value(forKey: "first") as? String, "1")
    expect("a comment to the line's end", object.value(forKey: "second") as? String, "2")
    expect("a doc comment behind the attribute", object.value(forKey: "third") as? String, "3")
    expect("a comment behind @objc", object.plain(), "plain")
    expect("a condition in comments", object.fourth, "fourth")
    expect("comments in a declaration of two", object.value(forKey: "fifth") as? String, "5")
    expect("a comment behind the second", object.value(forKey: "sixth") as? String, "6")
    expect("a plain string", Texts.plain.hasSuffix("#selector(a(_:)) #keyPath(A.b)"), true)
    expect("a raw string", Texts.raw, "a \"quoted\" @NSManaged first and \\(none)")
    expect("a rawer string", Texts.rawer, "#\"#keyPath(Commented.first)\"# second")
    expect(
        "lines", Texts.lines, "@objc(x) override // no comment: #selector(x)\nthird \"<fourth>\"")
    expect("raw lines", Texts.rawLines, "\"\"\" \\(#keyPath(Commented.first)) first")
    expect("interpolations in interpolations", Texts.nested, "first")
    expect("a closure in an interpolation", Texts.closure, "1second2second")
    expect("comment marks in a string", Texts.slashes, "https://example.com/*#keyPath*/")
}
