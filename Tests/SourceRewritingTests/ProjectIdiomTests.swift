import SourceRewriting
import Testing

/// Idioms of Xcode's templates and of many apps.
@Suite struct ProjectIdiomTests {
    @Test(arguments: [
        (
            "Bundle.main.url(forResource: \"A\", withExtension: \"momd\")",
            "Bundle.main.resourceURL(forResource: \"A\", withExtension: \"momd\")"
        ),
        (
            "bundle.path(forResource: \"A\", ofType: \"momd\")",
            "bundle.resourcePath(forResource: \"A\", ofType: \"momd\")"
        ),
        (
            "b.urls(forResourcesWithExtension: \"mom\", subdirectory: \"A.momd\")",
            "b.resourceURLs(forResourcesWithExtension: \"mom\", subdirectory: \"A.momd\")"
        ),
        ("Bundle.init(for: A.self)", "Bundle.ofTarget(for: A.self)"),
        (
            "let b: Bundle = .init(for: type(of: self))",
            "let b: Bundle = .ofTarget(for: type(of: self))"
        ),
        ("let a: A = .init(for: other)", "let a: A = .init(for: other)"),
        ("x.url(forResource: a)", "x.url(forResource: a)"),
        ("Foundation.ValueTransformer(forName: n)", "ValueTransformer(forName: n)"),
        ("let f: Foundation.ValueTransformer", "let f: ValueTransformer"),
        ("let f: Foundation.URL", "let f: Foundation.URL"),
        (
            "extension NSPersistentStoreCoordinator { static func a() { _ = self.init("
                + "managedObjectModel: m) } }",
            "extension NSPersistentStoreCoordinator { static func a() { _ = "
                + "NSPersistentStoreCoordinator(managedObjectModel: m) } }"
        ),
        (
            "extension NSPersistentStoreCoordinator { convenience init(a: Int) { self.init("
                + "managedObjectModel: m) } }",
            "extension NSPersistentStoreCoordinator { convenience init(a: Int) { self.init("
                + "managedObjectModel: m) } }"
        ),
    ])
    func `an idiom is rewritten`(source: String, copy: String) {
        #expect(Rewriting.file(source).text == copy)
    }

    @Test func `predicates read the marked properties of plain classes`() {
        let text = Rewriting.file(
            """
            class A: NSObject { @objc let name: String; var other = 1 }
            public class B: A { @objc(weightInKilos) var weight = 2 }
            class C { @objc var count = 1 }
            private class D: NSObject { @objc var count = 1 }
            """
        ).text
        #expect(text.contains("case \"name\": return self.name; default: throw"))
        #expect(!text.contains("self.other") && !text.contains("self.count"))
        #expect(text.contains("public override func predicateValue(forKey key: String)"))
        #expect(text.contains("case \"weightInKilos\": return self.weight"))
        #expect(text.contains("\nextension A: KeyValueCodable {}\n"))
        #expect(!text.contains("extension B: KeyValueCodable"))
        #expect(Rewriting.parses(text))
    }

    @Test func `a class of package access has overrides of that access`() {
        let text = Rewriting.file(
            "@objc(A) package final class A: NSManagedObject { @objc package var a: Int { 1 } }"
        ).text
        #expect(text.contains("nonisolated package override class var objectiveCName: String"))
        #expect(text.contains("package override class var keyedMembers: [KeyedMember]"))
        #expect(text.contains("ManagedClassNamed_A: ManagedClassAlias"))
    }
}
