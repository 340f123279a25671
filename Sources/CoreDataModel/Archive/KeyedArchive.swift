import Foundation

/// The objects of a keyed archive while models and mapping models are written.
///
/// Equal strings and equal classes are written once.
package struct KeyedArchive {
    private var objects: [ArchiveValue] = [.string("$null")]
    private var strings: [String: Int] = [:]
    private var classes: [String: Int] = [:]

    package init() {}

    package static let null = ArchiveValue.reference(0)

    package func data(root: ArchiveValue) -> Data {
        BinaryPropertyListWriter.data(
            .dictionary([
                ("$version", .integer(100_000)),
                ("$archiver", .string("NSKeyedArchiver")),
                ("$top", .dictionary([("root", root)])),
                ("$objects", .array(objects)),
            ]))
    }

    /// Reserves a position for an object, so that other objects can refer to it before it is
    /// written.
    package mutating func reserve() -> Int {
        objects.append(KeyedArchive.null)
        return objects.count - 1
    }

    /// Writes an object to its reserved position.
    ///
    /// - Parameter names: the object's class, then its superclasses up to `NSObject`.
    package mutating func set(
        _ place: Int, _ names: [String], _ fields: [(key: String, value: ArchiveValue)]
    ) {
        let type = reference(toClass: names)
        objects[place] = .dictionary([(key: "$class", value: type)] + fields)
    }

    package mutating func add(
        _ names: [String], _ fields: [(key: String, value: ArchiveValue)]
    ) -> ArchiveValue {
        let place = reserve()
        set(place, names, fields)
        return .reference(place)
    }

    /// Writes a value that needs no class, such as a number or data.
    package mutating func add(_ value: ArchiveValue) -> ArchiveValue {
        objects.append(value)
        return .reference(objects.count - 1)
    }

    /// Writes a string. Returns the reference to nil if the text is nil.
    package mutating func string(_ text: String?) -> ArchiveValue {
        guard let text else { return KeyedArchive.null }
        if let place = strings[text] { return .reference(place) }
        objects.append(.string(text))
        strings[text] = objects.count - 1
        return .reference(objects.count - 1)
    }

    package mutating func array(_ elements: [ArchiveValue]) -> ArchiveValue {
        add(["NSArray", "NSObject"], [("NS.objects", .array(elements))])
    }

    mutating func mutableArray(_ elements: [ArchiveValue]) -> ArchiveValue {
        add(["NSMutableArray", "NSArray", "NSObject"], [("NS.objects", .array(elements))])
    }

    mutating func set(_ elements: [ArchiveValue]) -> ArchiveValue {
        add(["NSSet", "NSObject"], [("NS.objects", .array(elements))])
    }

    mutating func dictionary(
        _ pairs: [(key: ArchiveValue, value: ArchiveValue)]
    ) -> ArchiveValue {
        add(
            ["NSMutableDictionary", "NSDictionary", "NSObject"],
            [("NS.keys", .array(pairs.map(\.key))), ("NS.objects", .array(pairs.map(\.value)))])
    }

    private mutating func reference(toClass names: [String]) -> ArchiveValue {
        let name = names.first ?? "NSObject"
        if let place = classes[name] { return .reference(place) }
        let place = reserve()
        objects[place] = .dictionary([
            ("$classname", .string(name)), ("$classes", .array(names.map(ArchiveValue.string))),
        ])
        classes[name] = place
        return .reference(place)
    }
}
