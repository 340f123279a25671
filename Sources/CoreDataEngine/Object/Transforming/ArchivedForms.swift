import Foundation

/// Checks the objects that are passed to an archiver, and replaces some of them by objects that can
/// be archived. Foundation's archiver ends the process at an object that it cannot archive.
final class ArchivedForms: NSKeyedArchiverDelegate {
    private(set) var failure: ArchiveFailure?
    /// The checked objects, each with the object that is archived in its place. Both are retained,
    /// because a freed object's address could be used again.
    private var known: [ObjectIdentifier: (object: NSObject, form: NSObject)] = [:]
    /// The number of program objects that are being encoded, one inside another.
    private var open = 0
    /// The maximum nesting of objects. An archiver makes several nested calls for each level.
    private static let depthMax = 400

    /// - Throws: an error if the object, or one of its members, cannot be archived.
    func root(_ object: Any) throws(ArchiveFailure) -> NSObject { try form(of: object, depth: 0) }

    /// The object that is archived instead of `object`. Nil if `object` is nil or cannot be
    /// archived.
    func form(of object: Any?) -> NSObject? {
        guard let object = AttributeCoding.flattened(object) else { return object as? NSNull }
        do throws(ArchiveFailure) { return try form(of: object, depth: 0) } catch {
            failure = failure ?? error
            return nil
        }
    }

    /// Encodes an object of a program class, unless the nesting is too deep.
    func inside(_ encode: () -> Void) {
        guard open < Self.depthMax else {
            failure = failure ?? Self.tooDeep
            return
        }
        open += 1
        encode()
        open -= 1
    }

    func archiver(_ archiver: NSKeyedArchiver, willEncode object: Any) -> Any? {
        form(of: object)
    }

    func archiver(_ archiver: NSKeyedArchiver, didEncode object: Any?) {}

    func archiver(
        _ archiver: NSKeyedArchiver, willReplace object: Any?, withObject newObject: Any?
    ) {}

    func archiverWillFinish(_: NSKeyedArchiver) {}

    func archiverDidFinish(_: NSKeyedArchiver) {}

    private static let tooDeep = ArchiveFailure("objects are nested deeper than \(depthMax)")

    private func form(of value: Any, depth: Int) throws(ArchiveFailure) -> NSObject {
        guard depth + open < Self.depthMax else { throw Self.tooDeep }
        guard let object = value as? NSObject else { throw Self.unfit(value) }
        if let known = known[ObjectIdentifier(object)] { return known.form }
        let form = try unknownForm(of: object, depth)
        known[ObjectIdentifier(object)] = (object, form)
        known[ObjectIdentifier(form)] = (form, form)
        return form
    }

    private func unknownForm(
        of object: NSObject, _ depth: Int
    ) throws(ArchiveFailure) -> NSObject {
        switch object {
        case let number as NSDecimalNumber: return ArchivedDecimal(number)
        case let error as NSError where type(of: error) == NSError.self:
            return ArchivedError(error)
        case let array as NSArray: return try collection(array, members: array.map { $0 }, depth)
        case let set as NSCountedSet: return try counted(set, depth)
        case let set as NSSet: return try collection(set, members: set.allObjects, depth)
        case let set as NSOrderedSet: return try collection(set, members: set.array, depth)
        case let table as NSDictionary: return try dictionary(table, depth)
        default:
            guard let coding = object as? any NSObject & NSCoding else { throw Self.unfit(object) }
            guard ArchiveShapes.isProgram(type(of: object)) else { return object }
            guard ArchiveShapes.hasName(object.classForCoder) else { throw Self.nameless(object) }
            return ProgramObjectArchiving(coding, self)
        }
    }

    /// The collection itself, or a copy if some members must be replaced.
    private func collection(
        _ object: NSObject, members: [Any], _ depth: Int
    ) throws(ArchiveFailure) -> NSObject {
        let forms = try members.map { member throws(ArchiveFailure) in
            try form(of: member, depth: depth + 1)
        }
        return forms.contains(where: \.isStandIn) ? Self.made(like: object, of: forms) : object
    }

    private static func made(like object: NSObject, of members: [NSObject]) -> NSObject {
        switch object {
        case is NSMutableArray: NSMutableArray(array: members)
        case is NSMutableSet: NSMutableSet(array: members)
        case is NSSet: NSSet(array: members)
        case is NSMutableOrderedSet: NSMutableOrderedSet(array: members)
        case is NSOrderedSet: NSOrderedSet(array: members)
        default: NSArray(array: members)
        }
    }

    private func counted(_ set: NSCountedSet, _ depth: Int) throws(ArchiveFailure) -> NSObject {
        let made = NSCountedSet()
        for member in set.allObjects {
            let form = try form(of: member, depth: depth + 1)
            for _ in 0..<set.count(for: member) { made.add(form) }
        }
        return made
    }

    private func dictionary(_ table: NSDictionary, _ depth: Int) throws(ArchiveFailure) -> NSObject
    {
        var keys: [NSObject] = []
        var values: [NSObject] = []
        for (key, value) in table {
            keys.append(try form(of: key, depth: depth + 1))
            values.append(try form(of: value, depth: depth + 1))
        }
        guard (keys + values).contains(where: \.isStandIn) else { return table }
        return table is NSMutableDictionary
            ? NSMutableDictionary(objects: values, forKeys: keys)
            : NSDictionary(objects: values, forKeys: keys)
    }

    private static func nameless(_ object: NSObject) -> ArchiveFailure {
        ArchiveFailure(
            "the class of a \(type(of: object)) is private or nested, so an archive cannot name"
                + " it; move it to the top of a file, and do not make it private")
    }

    private static func unfit(_ value: Any) -> ArchiveFailure {
        ArchiveFailure(
            "a \(type(of: value)) does not conform to NSCoding and cannot be archived; make it"
                + " conform, or name a custom transformer in the model")
    }
}

extension NSObject {
    /// Whether this object replaces another object in the archive.
    fileprivate var isStandIn: Bool {
        self is any ArchiveStandIn || self is ProgramObjectArchiving
    }
}
