import SourceRewriting
import Testing

/// Observers of keys, and keys that depend on others.
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
}
