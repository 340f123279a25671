import CoreDataModel
import Foundation

/// The information that is needed to decode a keyed archive, from the check of the archive.
struct ArchiveReading {
    var classes: [String: AnyClass] = [:]
    /// The positions of the archived objects. An object follows the objects that it contains.
    var places: [Int] = []
    /// Whether a dictionary or an ordered set contains objects. Foundation ends the process if it
    /// cannot decode one of these objects. So each of them is decoded before its container.
    var needsParts = false
}

/// Checks a keyed archive before Foundation's unarchiver reads it. The unarchiver would end the
/// process if an object has unexpected fields or contains itself.
struct ArchiveCheck {
    /// The maximum nesting of objects; the unarchiver makes a few calls for each level.
    private static let depthMax = 400

    private enum Mark { case open, done }

    /// The kind of object that contains another object.
    private enum Place {
        case top
        /// A collection at the root or inside another collection. A secure transformer allows the
        /// same classes at all levels of nested collections.
        case collection
        /// An object of a class that checks the classes of its contents itself.
        case object
    }

    private let archive: KeyedUnarchive
    private let allowed: AllowedClasses?
    private var marks: [Int: Mark] = [:]
    private var found: [String: AnyClass] = [:]
    private var reading = ArchiveReading()

    /// Checks the archive and returns the information for decoding it.
    ///
    /// - Throws: an error if reading the archive would fail or end the process.
    static func reading(
        of data: Data, allowed: AllowedClasses?
    ) throws(ArchiveFailure) -> ArchiveReading {
        guard let archive = KeyedUnarchive(data), archive.hasNull else {
            throw ArchiveFailure("its \(data.count) bytes are not a binary keyed archive")
        }
        var check = ArchiveCheck(archive: archive, allowed: allowed)
        try check.visit(archive.root, in: .top, depth: 0)
        return check.reading
    }

    private init(archive: KeyedUnarchive, allowed: AllowedClasses?) {
        self.archive = archive
        self.allowed = allowed
    }

    private mutating func visit(
        _ place: Int, in owner: Place, depth: Int
    ) throws(ArchiveFailure) {
        if marks[place] == .done { return }
        let fields = archive.fields(place)
        guard case .reference? = fields["$class"] else {
            return try checkPlain(archive.value(.reference(place)), in: owner)
        }
        guard let name = archive.className(place) else {
            throw ArchiveFailure("its keyed archive has an object without a class")
        }
        guard marks[place] == nil else {
            throw ArchiveFailure(
                "a '\(name)' refers back to itself in its keyed archive, which Foundation on Linux"
                    + " cannot read; omit that reference in encode(with:)")
        }
        guard depth < Self.depthMax else {
            throw ArchiveFailure(
                "objects are nested deeper than \(Self.depthMax) in its keyed archive")
        }
        let type: AnyClass = try self.type(named: name)
        try check(type, name, in: owner)
        marks[place] = .open
        let inner: Place =
            owner != .object && ArchiveShapes.isCollection(type) ? .collection : .object
        for (key, value) in fields where key != "$class" {
            try visitParts(of: value, in: inner, depth: depth + 1)
        }
        guard ArchiveShapes.fits(fields, of: type, in: archive) else {
            throw ArchiveFailure("the fields of a '\(name)' in its keyed archive are damaged")
        }
        marks[place] = .done
        reading.places.append(place)
        if ArchiveShapes.asksForParts(type) {
            reading.needsParts = reading.needsParts || hasObjects(fields)
        }
    }

    /// Whether a collection contains members other than strings, numbers and data.
    private func hasObjects(_ fields: [String: ArchiveValue]) -> Bool {
        fields.contains { key, value in
            if key == "$class" { return false }
            if case .array(let members) = value {
                return members.contains { archive.className(archive.place($0) ?? 0) != nil }
            }
            return archive.className(archive.place(value) ?? 0) != nil
        }
    }

    private mutating func visitParts(
        of value: ArchiveValue, in owner: Place, depth: Int
    ) throws(ArchiveFailure) {
        switch value {
        case .reference(let place) where place > 0:
            try visit(place, in: owner, depth: depth)
        case .array(let parts):
            for part in parts { try visitParts(of: part, in: owner, depth: depth) }
        case .dictionary(let pairs):
            for pair in pairs { try visitParts(of: pair.value, in: owner, depth: depth) }
        case .reference, .boolean, .integer, .real, .data, .date, .string: break
        }
    }

    private mutating func type(named name: String) throws(ArchiveFailure) -> AnyClass {
        if let known = found[name] { return known }
        guard let type: AnyClass = Self.codingClass(named: name) else {
            throw ArchiveFailure(
                "no class '\(name)' here conforms to NSCoding; declare a class"
                    + " with that name, or register a class that reads its archives with"
                    + " NSKeyedUnarchiver.setClass(_:forClassName:)")
        }
        let standIn: AnyClass? = ArchiveStandIns.type(for: type)
        guard standIn != nil || ArchiveShapes.isKnown(type) else {
            throw ArchiveFailure("Foundation on Linux cannot archive a '\(name)'")
        }
        found[name] = type
        reading.classes[name] = standIn ?? type
        return type
    }

    /// The class that the program has registered for the name; otherwise the class with that name.
    private static func codingClass(named name: String) -> AnyClass? {
        if let registered: AnyClass = NSKeyedUnarchiver.class(forClassName: name) {
            return registered
        }
        // The optional must be unwrapped before the cast: in optimised code, casting nil to a class
        // type dereferences it.
        if let type: AnyClass = NSClassFromString(name), type is any NSCoding.Type { return type }
        return NamedClasses.find(name, as: (any NSCoding.Type).self).flatMap { $0 as? AnyClass }
    }

    private func checkPlain(_ value: ArchiveValue?, in owner: Place) throws(ArchiveFailure) {
        let type: AnyClass
        switch value {
        case .string("$null")?: return
        case .string?: type = NSString.self
        case .data?: type = NSData.self
        case .boolean?, .integer?, .real?: type = NSNumber.self
        case .date?: type = NSDate.self
        case .array?, .dictionary?, .reference?, nil:
            throw ArchiveFailure("its keyed archive has an object without a class")
        }
        if owner != .object { try allowed?.check(type, name: "\(type)", isTop: owner == .top) }
    }

    private func check(
        _ type: AnyClass, _ name: String, in owner: Place
    ) throws(ArchiveFailure) {
        guard let allowed else { return }
        if owner != .object {
            try allowed.check(type, name: name, isTop: owner == .top)
        }
        let secure = type as? any NSSecureCoding.Type
        guard secure?.supportsSecureCoding == true else {
            throw ArchiveFailure(
                "the class '\(name)' does not support secure coding, which \(allowed.owner) needs")
        }
    }
}
