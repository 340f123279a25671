import SourceRewriting
import Testing

/// Tests of sources with random members in random order. Comments in them contain their line
/// numbers.
@Suite struct RandomSourceTests {
    private static let members: [String] = [
        "@NSManaged var NAME: String?", "@NSManaged public var NAME: Int32, NAMEb: Double",
        "@NSManaged\n    private\n    var NAME: Set<Thing>?", "@NSManaged var NAME, NAMEb: Bool",
        "@objc dynamic var NAME = 1 { didSet { print(#keyPath(Thing.first)) } }",
        "@objc(NAMEobjc) func NAME(_ a: Int, b: String = \"@objc\") -> Int { a }",
        "@objc lazy var NAME: String = { #keyPath(Thing.first) + \"\\(#selector(Thing.act))\" }()",
        "@objc(addNAMEObject:) @NSManaged func addToNAME(_ value: Thing)",
        "@NSManaged func insertIntoNAME(_ values: [Thing],\n        at indexes: NSIndexSet)",
        "static let NAME = [\"\"\"\n        @NSManaged \\(#keyPath(Thing.first))\n        \"\"\"]",
        "/* @objc\n    */ @objc /* b */ class func NAME() {}", "@nonobjc func NAME() {}",
        "func NAME() { @objc class Local: NSObject { @objc var x = #keyPath(Local.x) } }",
        "@NSCopying var NAME: NSString = \"\"", "struct NAME { @objc class Inner: NSObject {} }",
        "func NAME() { NotificationCenter.default.addObserver(self, selector: #selector(act),\n"
            + "        name: nil, object: nil) }",
        "func NAME(_ r: Any) -> Bool { r is NSFetchRequest<Thing> || r as? Thing == nil }",
    ]
    private static let overrides: [String] = [
        "override func NAME() { super.NAME() }", "override var NAME: Int { 1 }",
        "override var NAME: String {\n        get { \"\" }\n        set { _ = newValue }\n    }",
        "override var NAME: Int {\n        willSet { act() }\n        didSet(old) { act() }\n    }",
        "override\n    public\n    class func NAME(_ a: inout Int) throws -> Int { 1 }",
        "override subscript(NAME: Int) -> Int { 1 }",
        "override convenience init(NAME: Int) { self.init() }",
        "@objc open func NAME(a: Int,\n        b: [String: Int] = [:]) async {}",
        "#if os(macOS)\n    override func NAME() {}\n    #else\n    @objc open func NAME() {}\n"
            + "    #endif",
    ]

    @Test(arguments: 0..<60)
    func `any combination of members keeps its lines and loses Objective-C`(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed + 1)
        let text = Self.source(&numbers)
        let file = Rewriting.file(text)
        #expect(file.warnings == [])
        #expect(Rewriting.parses(text) && Rewriting.parses(file.located), "\(file.located)")
        #expect(Rewriting.leftovers(file.text) == [])
        #expect(Rewriting.file(file.text).text == file.text)
        var marks = 0
        for (line, text) in Rewriting.numbered(file.located) {
            guard let mark = text.split(separator: "// line ").last, text.contains("// line ")
            else { continue }
            marks += 1
            #expect(Int(mark) == line, "\(text)")
        }
        #expect(marks == text.count(of: "// line "))
    }

    private static func source(_ numbers: inout SeededNumbers) -> String {
        var lines = ["import CoreData", "@objc(Thing) class Thing: NSManagedObject {"]
        lines.append("    @NSManaged var first: String?; @objc func act() {}")
        func add(_ pool: [String], _ count: Int) {
            for number in 0..<count {
                let member = pool[Int.random(in: 0..<pool.count, using: &numbers)]
                    .replacing("NAME", with: "M\(lines.count)x\(number)")
                if Bool.random(using: &numbers) { lines.append("    #if DEBUG || !DEBUG") }
                let isOpen = lines.last?.contains("#if") == true
                lines += ("    " + member).split(separator: "\n").map(String.init)
                if isOpen { lines.append("    #endif") }
                lines.append("    // line \(lines.count + 1)")
            }
        }
        add(members, Int.random(in: 1...8, using: &numbers))
        lines.append("}")
        if Bool.random(using: &numbers) { lines.append("") }
        lines.append(
            Bool.random(using: &numbers) ? "public extension Thing {" : "extension Thing {")
        add(overrides, Int.random(in: 1...6, using: &numbers))
        lines.append("}")
        lines.append("// line \(lines.count + 1)")
        return lines.joined(separator: "\n") + "\n"
    }
}

extension String {
    fileprivate func count(of text: String) -> Int { ranges(of: text).count }
}
