import Testing

@testable import CoreDataPredicate

private class Shelf {
    var label: String {
        get { "a" }
        set { _ = newValue }
    }
    var stored = 1
    private var secret: Int { 3 }
    static var secretPath: PartialKeyPath<Shelf> { \Shelf.secret }

    final class Inner {
        var depth: Double { 1 }
        var shelf: Shelf? { nil }
        var names: Set<String>? { nil }
    }
}

extension Shelf {
    /// Xcode generates such properties in an extension in another file.
    var inner: Inner? {
        get { nil }
        set { _ = newValue }
    }
    var isFull: Bool { true }
    var `default`: Int { 1 }
}

private final class Renamed: KeyPathNaming {
    var title: String { "" }

    static func keyName(of keyPath: AnyKeyPath) -> String? {
        keyPath == \Renamed.title ? "name" : nil
    }
}

@Suite struct KeyPathNameTests {
    private static var paths: [(AnyKeyPath, String)] {
        [
            (\Shelf.label, "label"), (\Shelf.stored, "stored"), (Shelf.secretPath, "secret"),
            (\Shelf.inner, "inner"), (\Shelf.isFull, "isFull"), (\Shelf.default, "default"),
            (\Shelf.Inner.depth, "depth"), (\Shelf.inner?.depth, "inner.depth"),
            (\Shelf.inner!.shelf!.label, "inner.shelf.label"), (\Shelf.Inner.names, "names"),
            (\Shelf.inner?.shelf?.inner?.depth, "inner.shelf.inner.depth"),
            (\Renamed.title, "name"),
        ]
    }

    @Test func `a key path has the names of the properties that it reads`() {
        for (path, name) in Self.paths { #expect(KeyPathNames.name(of: path) == name) }
        #expect(NSSortDescriptor(keyPath: \Shelf.label, ascending: true).key == "label")
        #expect(NSExpression(forKeyPath: \Shelf.inner?.depth).keyPath == "inner.depth")
    }

    @Test(arguments: [
        ("key path getter for App.Book.title : Swift.String : App.Book", "title"),
        ("key path getter for App.Book.(title in _5D2F) : Swift.String : App.Book", "title"),
        (
            "key path getter for (extension in Other):App.Book.author : App.Author? : App.Book",
            "author"
        ),
        ("App.Book.title.getter : Swift.String", "title"),
        ("App.(Book in _5D2F).title.getter : Swift.String", "title"),
    ])
    func `a getter's symbol has the property's name`(symbol: String, name: String) {
        #expect(ImageSymbols.name(in: symbol) == name)
    }

    @Test func `a key path without a name has no key, and traps nowhere`() {
        #expect(KeyPathNames.name(of: \[Int].[3]) == nil)
        let descriptor = NSSortDescriptor(keyPath: \[Int].[3], ascending: true)
        #expect(descriptor.key?.contains("write the key as text") == true)
        #expect(ImageSymbols.property(getterAt: 16) == nil)
    }
}
