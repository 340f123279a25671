import SourceRewriting
import Testing

/// The files of imported targets are read but not rewritten.
@Suite struct KnownSourceTests {
    private static let library = """
        open class Base: NSManagedObject {
            @NSManaged @objc(realName) public var name: String?
            @objc func act(_ count: Int) {}
        }
        @objc public protocol Told { @objc optional func told(_ count: Int) }
        open class Teller: NSObject, Told {}
        class Twin: NSObject { @objc(otherKey) var key = 1 }
        """

    private func file(_ text: String) -> RewrittenFile {
        let known = SourceRewriter.Source(path: "/lib/Library.swift", text: Self.library)
        let own = SourceRewriter.Source(path: "/app/App.swift", text: text)
        let files = SourceRewriter([own], knowing: [known]).rewrite()
        #expect(files.count == 1)
        return files[0]
    }

    @Test func `names for Objective-C of an imported class are known`() {
        #expect(file("let a = #keyPath(Base.name)").text == "let a = \"realName\"")
        #expect(file("let a = #selector(Base.act)").text == "let a = Selector(\"act:\")")
        #expect(file("func f(_ t: Told) { t.told?(1) }").text.contains("t.optional_told_?(1)"))
    }

    @Test func `a class below an imported one is managed and may implement optional methods`() {
        let text = file("class Below: Base { init(a: Int) { super.init() } }").text
        #expect(text.contains("required init(entity: NSEntityDescription"))
        let teller = file("class Below: Teller { func told(_ count: Int) {} }").text
        #expect(teller.contains("override var optional_told_: ((Int) -> Void)?"))
        let own = file("final class Own: NSObject, Told { func told(_ count: Int) {} }").text
        #expect(own.contains(" var optional_told_: ((Int) -> Void)? { self.told(_:) }"))
    }

    @Test func `the body of an imported class is not rewritten`() {
        let file = file("extension Base { override func willSave() {} }")
        #expect(file.warnings.count == 1)
        #expect(file.text == "extension Base { override func willSave() {} }")
        let open = self.file("extension Base { @objc open func more() {} }")
        #expect(open.text == "extension Base { open func more() {} }")
    }

    @Test func `a class of the target precedes an imported one of the same name`() {
        let text = "class Twin: NSObject { @objc var key = 1 }\nlet a = #keyPath(Twin.key)"
        #expect(file(text).text.contains("let a = \"key\""))
    }
}
