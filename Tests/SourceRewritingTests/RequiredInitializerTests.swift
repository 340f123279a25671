import SourceRewriting
import Testing

/// Swift requires these initialisers for classes that are only known at run time.
@Suite struct RequiredInitializerTests {
    @Test func `a transformer without init() gets one, and an override is required`() {
        let text = Rewriting.file(
            "class A<T>: ValueTransformer { init(a: Int) { super.init() } }\n"
                + "public class B: ValueTransformer { public override init() { super.init() } }\n"
                + "class C: B {}\nclass D: C { override init() { super.init() } }"
        ).text
        #expect(text.contains("super.init() } ; required init() { fatalError("))
        #expect(text.contains("public class B: ValueTransformer { public required init() {"))
        #expect(text.contains("class C: B {}"))
        #expect(text.contains("class D: C { required init() { super.init() } }"))
        #expect(Rewriting.parses(text))
    }

    @Test func `an initialiser that a store overrides is required`() {
        let text = Rewriting.file(
            "class S: NSIncrementalStore { override init(persistentStoreCoordinator r: C?,"
                + " configurationName n: String?, at u: URL, options o: [AnyHashable: Any]?) {} }"
        ).text
        #expect(text.contains("{ required init(persistentStoreCoordinator r: C?,"))
    }

    @Test func `other classes keep their overrides`() {
        let source = "class A: NSObject { override init() { super.init() } }"
        #expect(Rewriting.file(source).text == source)
    }

    @Test func `variable arguments of predicates become an array`() {
        let text = Rewriting.file(
            "let a = NSPredicate(format: f, arguments: getVaList(list + [1]))\n"
                + "let b = String(format: f, arguments: list)"
        ).text
        #expect(
            text == "let a = NSPredicate(format: f, argumentArray: list + [1])\n"
                + "let b = String(format: f, arguments: list)")
    }

    @Test func `casts of collections convert those of Objective-C`() {
        let text = Rewriting.file(
            "let a = set as Set<AnyHashable>\nlet b = [1] as [Any]\nlet c = try f() as [Any]?\n"
                + "let d = x as! NSFetchRequest<A>"
        ).text
        #expect(text.contains("ObjectiveCCollection.cast(set, to: Set<AnyHashable>.self)"))
        #expect(text.contains("let b = [1] as [Any]"))
        #expect(text.contains("try ObjectiveCCollection.cast(f(), to: [Any]?.self)"))
        #expect(text.contains("let d = NSFetchRequest<A>.cast(x)!"))
    }

    @Test func `a live view becomes the members if a Swift set is requested`() {
        let text = Rewriting.file(
            "let a = x?.mutableSetValue(forKey: k) as? Set<A>\n"
                + "let b = mutableSetValue(forKeyPath: \"a.b\") as! Set<A>\n"
                + "let c = x.mutableSetValue(forKey: k) as? NSMutableSet"
        ).text
        #expect(text.contains("let a = x?.value(forKey: k) as? Set<A>"))
        #expect(text.contains("let b = value(forKeyPath: \"a.b\") as! Set<A>"))
        #expect(text.contains("let c = x.mutableSetValue(forKey: k) as? NSMutableSet"))
    }
}
