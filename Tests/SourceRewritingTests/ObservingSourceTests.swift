import SourceRewriting
import Testing

/// Tests of rewriting key observers, and of keys that depend on other keys.
@Suite struct ObservingSourceTests {
    private static let parameters =
        "(forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,"
        + " context: UnsafeMutableRawPointer?)"
    private static let call =
        "observeValue(forKeyPath: keyPath, of: object, change: change, context: context)"

    @Test func `a class that observes keys conforms to the protocol`() {
        let file = Rewriting.file(
            "class A: NSObject { override func observeValue\(Self.parameters) {"
                + " super.\(Self.call) } }")
        #expect(
            file.text.hasSuffix(
                "class A: NSObject, KeyValueObserver { func observeValue\(Self.parameters) {"
                    + " self.observeUnhandledValue(forKeyPath: keyPath, of: object, change: change,"
                    + " context: context) } }"))
        #expect(file.warnings == [] && Rewriting.parses(file.text))
    }

    @Test func `a class below one that observes keys overrides as before`() {
        let file = Rewriting.file(
            "class A: NSObject { public override func observeValue\(Self.parameters) {} }\n"
                + "class B: A { override func observeValue\(Self.parameters) {"
                + " super.\(Self.call) } }")
        #expect(file.text.contains("class A: NSObject, KeyValueObserver { public func observe"))
        #expect(
            file.text.contains(
                "class B: A { override func observeValue\(Self.parameters) {"
                    + " super.\(Self.call) } }"))
    }

    @Test func `a class of managed objects lists the keys that others depend on`() {
        let file = Rewriting.file(
            "class A: NSManagedObject { @objc var full: String { \"\" }\n"
                + "@objc class func keyPathsForValuesAffectingFull() -> Set<String> { [\"a\"] }\n"
                + "static func keyPathsForValuesAffectingB() -> Set<String> { [] } }")
        #expect(
            file.text.contains(
                ".affected(\"full\", by: { A.keyPathsForValuesAffectingFull() })]"))
        #expect(!file.text.contains(".affected(\"b\""))
        #expect(file.warnings == [] && Rewriting.parses(file.text))
    }

    @Test func `an extension may observe keys for its class`() {
        let text = Rewriting.file(
            "class A: NSManagedObject {}\nextension A { override func observeValue"
                + "\(Self.parameters) { super.\(Self.call) } }"
        ).text
        #expect(text.contains("class A: NSManagedObject, KeyValueObserver {func observeValue("))
        #expect(text.contains("self.implementation_A_observeValue(forKeyPath: keyPath"))
        #expect(text.contains("extension A { func implementation_A_observeValue("))
        #expect(text.contains("{ self.observeUnhandledValue(forKeyPath: keyPath"))
        #expect(Rewriting.parses(text))
    }

    @Test func `a property that overrides a managed one is accessed by its name`() {
        let text = Rewriting.file(
            "class A: NSManagedObject { @NSManaged var a: Int; @objc var b: Int { 1 } }\n"
                + "class B: A { override var a: Int { didSet {} }; override var b: Int { 2 } }"
        ).text
        #expect(
            text.contains(
                "[.property(\"a\", of: B.self, get: { $0.a }, set: { $0.a = $1 })]"))
    }

    @Test(arguments: ["Set<NSObject>", "Set<String>", "NSSet"])
    func `a class method names the keys on which a key depends, in any kind of set`(type: String) {
        let text = Rewriting.file(
            "class A: NSManagedObject {"
                + " @objc class func keyPathsForValuesAffectingB() -> \(type) { [] } }"
        ).text
        #expect(text.contains(".affected(\"b\""))
    }

    @Test(arguments: ["ValueTransformer", "NSPredicate", "UndoManager"])
    func `types that Foundation lacks here are imported`(name: String) {
        let text = Rewriting.file("import Foundation\nlet a: \(name)?").located
        #expect(text.contains("\nimport CoreData\n"))
        #expect(!Rewriting.file("import Foundation // \(name)").located.contains("CoreData"))
    }
}
