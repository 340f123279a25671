import SourceRewriting
import Testing

/// Code that cannot be translated has a warning with a location and a remedy.
@Suite struct RewriteWarningTests {
    /// `→` marks the location of the expected warning. The warning contains `message`.
    struct Untranslated: Sendable, CustomTestStringConvertible {
        let source: String
        let message: String
        init(_ source: String, _ message: String) {
            self.source = source
            self.message = message
        }
        var testDescription: String { message + ": " + source.prefix(60) }
    }

    static let untranslated: [Untranslated] = [
        // Attributes
        .init("class A { →@NSManaged var a }", "needs a name and a type"),
        .init("class A { →@NSManaged var a: Int = 3 }", "neither accessors nor a value"),
        .init("class A { →@NSManaged func odd(_ a: Int) }", "is not a known accessor function"),
        .init("class A { →@NSManaged init() }", "only for properties and methods"),
        .init("→@UIApplicationMain class A {}", "use @main"),
        .init("→@NSApplicationMain class A {}", "use @main"),
        .init("let f: →@convention(objc_method) () -> Void", "use a Swift function"),
        .init("@objc protocol P { @objc →optional var a: Int { get } }", "give it a default"),
        .init("@objc protocol P { @objc →optional static func a() }", "give it a default"),
        .init("@objc protocol P { @objc →optional func a(_ b: Int...) }", "give it a default"),
        // Names
        .init("let a = →#keyPath(f().b)", "not a path of names"),
        .init("let a = →#keyPath(A.b\nlet c = 1", "write its argument and the closing"),
        .init("let a = →#selector(unknown)", "write them, as in #selector(unknown(_:))"),
        .init("let a = →#selector(getter: f())", "does not name a method"),
        .init("let a = →#selector(1 + 2)", "does not name a method"),
        // Extensions
        .init("extension Other { →override func a() {} }", "write a subclass"),
        .init("extension Other { →override var a: Int { 1 } }", "write a subclass"),
        .init("extension Other { →override subscript(a: Int) -> Int { 1 } }", "write a subclass"),
        .init("extension Other { →override convenience init() {} }", "write a subclass"),
        .init("class A {}\nextension A { →override func a(_ b: Int...) {} }", "move it into"),
        .init("class A {}\nextension A { →override class func + (a: A, b: A) {} }", "operator"),
        .init(
            "class A: NSManagedObject {}\nextension A { →override convenience init("
                + "entity: NSEntityDescription, insertInto c: NSManagedObjectContext?) {} }",
            "in the class's body"),
        // Messages
        .init(
            "center.addObserver(self, →selector: action, name: nil, object: nil)",
            "addObserver(forName:object:queue:using:)"),
        .init(
            "let s = Selector(name)\ncenter.addObserver(a, →selector: s, name: nil, object: nil)",
            "addObserver(forName:object:queue:using:)"),
        .init(
            "Timer.scheduledTimer(timeInterval: 1, target: a, →selector: s, userInfo: nil, "
                + "repeats: true)", "withTimeInterval"),
        .init(
            "class A { @objc func b() { Timer(timeInterval: 1, target: self, selector: "
                + "#selector(b), →userInfo: [1], repeats: true) } }", "userInfo"),
        .init(
            "class A { @objc func b() { let a = →o.perform(#selector(b), with: 1) } }",
            "call the method itself"),
        .init("→object.perform(action, with: 1)", "call the method itself"),
        .init(
            "class A { @objc func b() { →o.perform(#selector(b), with: 1, afterDelay: 1) } }",
            "asyncAfter"),
        .init("→object.performSelector(onMainThread: s, with: 1, waitUntilDone: true)", "Dispatch"),
        .init("→NSObject.cancelPreviousPerformRequests(withTarget: self)", "DispatchWorkItem"),
        .init("→Thread.detachNewThreadSelector(s, toTarget: self, with: nil)", "detachNewThread"),
        .init("let t = →Thread(target: self, selector: s, object: nil)", "detachNewThread"),
        .init("→manager.registerUndo(withTarget: self, selector: s, object: 1)", "handler"),
        .init("(→manager.prepare(withInvocationTarget: self) as? A)?.b()", "registerUndo"),
        .init("if →object.responds(to: s) {}", "(object as? Protocol)"),
        .init("let a = →A.instancesRespond(to: s)", "(object as? Protocol)"),
        .init("let a = →object.method(for: s)", "call the method"),
        // The runtime
        .init("→objc_setAssociatedObject(self, &key, value, .p)", "stored property"),
        .init("let a = →objc_getAssociatedObject(self, &key)", "stored property"),
        .init("→objc_sync_enter(self)", "NSRecursiveLock"),
        .init("let m = →class_getInstanceMethod(A.self, s)", "protocols and closures"),
        .init("→method_exchangeImplementations(a, b)", "protocols and closures"),
        .init("let c = →object_getClass(self)", "protocols and closures"),
        .init("let i = →imp_implementationWithBlock(block)", "protocols and closures"),
        .init(
            "class A: NSObject { →override func observeValue(forKeyPath k: String?) {} }",
            "a closure or a notification"),
        .init("class A: NSObject { →override class func initialize() {} }", "static constant"),
        .init(
            "class A: NSObject { →override func forwardingTarget(for s: Selector) {} }",
            "declare a protocol"),
        .init(
            "class A: NSManagedObject { →@objc func validateB(_ v: AutoreleasingUnsafe"
                + "MutablePointer<AnyObject?>, error: NSErrorPointer) -> Bool { true } }",
            "`throws`"),
        // Casts
        .init(
            "switch a { case let →b as NSFetchRequest<Book>: break\ndefault: break }",
            "entityName"),
        // Optional methods
        .init(
            "@objc protocol P { @objc optional func done() }\nstruct S { var done = {} }\n"
                + "func f(_ p: P) { p.→done?() }", "rename one"),
    ]

    @Test(arguments: untranslated)
    func `untranslatable code is reported at its location`(_ example: Untranslated) throws {
        let parts = example.source.split(separator: "→", omittingEmptySubsequences: false)
        let file = Rewriting.file(parts.joined())
        let warning = try #require(file.warnings.first)
        #expect(file.warnings.count == 1, "\(file.warnings)")
        let lines = parts[0].split(separator: "\n", omittingEmptySubsequences: false)
        #expect(warning.message.contains(example.message), "\(warning.message)")
        #expect(warning.line == lines.count)
        #expect(warning.column == (lines.last?.utf8.count ?? 0) + 1)
        #expect(warning.text.hasPrefix("/app/Original.swift:\(warning.line):"))
        #expect(warning.text.contains(" warning: "))
    }

    @Test func `a private method in another file than its class's is reported`() {
        let files = Rewriting.files([
            ("/app/A.swift", "class A: NSManagedObject {}"),
            (
                "/app/B.swift",
                "extension A {\n    @objc private func validateB(_ v: AutoreleasingUnsafe"
                    + "MutablePointer<AnyObject?>) throws {}\n}"
            ),
        ])
        #expect(files[0].warnings == [])
        #expect(files[1].warnings.map(\.line) == [2])
        #expect(files[1].warnings.first?.message.contains("make it internal") == true)
    }

    /// The names of these functions of the app or of Swift resemble those of Objective-C.
    @Test(arguments: [
        "context.perform { save() }", "try await context.perform(schedule: .enqueued) { 1 }",
        "class A { func perform(_ b: Int, with c: Int) {} }\nA().perform(1, with: 2)",
        "func objc_sync_enter(_ a: Int) {}\nobjc_sync_enter(1)", "x.class_getName(1)",
        "delegate?.done?()", "switch a { case let b as Book: break\ndefault: break }",
        "let r = a as? NSArray",
        "Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in }",
        "class A: B { override func load() {} }", "optional.method(a)",
        "let a = [1] as Set<NSObject>", "a.removeObserver(b, c: d)", "A.description()",
        "@Observable class A { @Other(\"@objc\") var b = 1 }", "#expect(a == #file)",
        "let p = #Predicate<A> { $0.b == #line }", "protocol P { func optional() }",
        "let dynamic = 1; f(dynamic: dynamic)",
    ])
    func `code without Objective-C is not reported and stays`(source: String) {
        let file = Rewriting.file(source)
        #expect(file.warnings == [])
        #expect(file.text == source)
    }
}
