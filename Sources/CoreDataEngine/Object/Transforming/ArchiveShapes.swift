import CoreDataModel
import Foundation

/// The fields that an archived object of a Foundation class must have. If such a field is missing,
/// a Foundation class on Linux ends the process, or returns a wrong value.
///
/// Foundation classes that are not listed are neither written nor read: they archive no data, or
/// reading them ends the process.
enum ArchiveShapes {
    private struct Fields {
        let values: [String: ArchiveValue]
        let archive: KeyedUnarchive

        subscript(key: String) -> ArchiveValue? { values[key] }

        func integer(_ key: String, in range: ClosedRange<Int64>) -> Bool {
            guard case .integer(let number)? = values[key] else { return false }
            return range.contains(number)
        }

        /// The string of a field, if the string is a separate object in the archive.
        func text(_ key: String) -> String? {
            archive.place(values[key]) == nil ? nil : archive.string(values[key])
        }

        /// The positions of the members of an array field; nil if a member is nil or damaged.
        func members(_ key: String) -> [Int]? {
            guard case .array(let list)? = values[key] else { return nil }
            let places = list.compactMap { archive.place($0) }
            return places.count == list.count ? places : nil
        }

        /// Whether the object at a position can be hashed. Foundation's decimal numbers do not
        /// implement `hash`.
        func hasHash(_ place: Int) -> Bool { archive.className(place) != "NSDecimalNumber" }

        func haveHashes(_ key: String) -> Bool { members(key)?.allSatisfy(hasHash) == true }
    }

    private typealias Shape = @Sendable (Fields) -> Bool

    private static let any: Shape = { _ in true }

    private static let shapes: [String: Shape] = [
        "NSArray": { $0.members("NS.objects") != nil },
        "NSSet": { $0.haveHashes("NS.objects") },
        "NSCountedSet": { numbered("NS.object", $0) && isCounted($0) },
        "NSOrderedSet": { numbered("NS.object.", $0) },
        "NSDictionary": {
            $0.haveHashes("NS.keys")
                && $0.members("NS.keys")?.count == $0.members("NS.objects")?.count
        },
        "NSString": { fields in
            guard case .string? = fields["NS.string"] else { return false }
            return true
        },
        "NSRegularExpression": isExpression,
        "NSValue": { $0.integer("NS.special", in: 1...12) },
        "NSURLQueryItem": { $0.text("NS.name") != nil },
        "NSCharacterSet": { fields in
            guard fields["NSRange"] != nil else { return true }
            return fields.integer("NSRange", in: 0...0x10_FFFF)
                && fields.integer("NSRangeLength", in: 0...0x11_0000)
        },
        "NSIndexSet": isIndexSet,
        "NSURL": { $0.text("NS.relative").flatMap { URL(string: $0) } != nil },
        "NSNumber": any, "NSDate": any, "NSData": any, "NSUUID": any, "NSNull": any,
        "NSIndexPath": any, "NSLocale": any, "NSTimeZone": any,
        "NSCalendar": any, "NSDateComponents": any, "NSDateInterval": any, "NSMeasurement": any,
        "Unit": any, "UnitConverter": any, "NSPersonNameComponents": any,
    ]

    /// Whether the class belongs to the program and inherits from no Foundation class except
    /// `NSObject`.
    static func isProgram(_ type: AnyClass) -> Bool { foundationBase(of: type) == nil }

    /// Whether the class is declared at the top level of a module. An archive cannot name any other
    /// class.
    static func hasName(_ type: AnyClass) -> Bool {
        let name = String(reflecting: type)
        return name.split(separator: ".").count == 2 && !name.contains("(")
    }

    /// Whether objects of the class may be archived. True for classes of the program, which
    /// implement their archiving, and for the listed Foundation classes.
    static func isKnown(_ type: AnyClass) -> Bool {
        guard let base = foundationBase(of: type) else { return true }
        return shape(of: base) != nil
    }

    static func fits(
        _ fields: [String: ArchiveValue], of type: AnyClass, in archive: KeyedUnarchive
    ) -> Bool {
        guard let shape = foundationBase(of: type).flatMap(shape) else { return true }
        return shape(Fields(values: fields, archive: archive))
    }

    static func isCollection(_ type: AnyClass) -> Bool {
        sequence(first: type, next: _getSuperclass).contains {
            $0 == NSArray.self || $0 == NSDictionary.self || $0 == NSSet.self
                || $0 == NSOrderedSet.self
        }
    }

    /// Whether decoding an object of the class ends the process if a member is missing.
    static func asksForParts(_ type: AnyClass) -> Bool {
        sequence(first: type, next: _getSuperclass).contains {
            $0 == NSDictionary.self || $0 == NSOrderedSet.self
        }
    }

    private static let modules: Set<Substring> = [
        "Foundation", "FoundationEssentials", "FoundationInternationalization",
        "FoundationNetworking", "FoundationXML",
    ]

    /// The first class of Foundation from which a class inherits, except for `NSObject`.
    private static func foundationBase(of type: AnyClass) -> AnyClass? {
        let base: AnyClass? = sequence(first: type, next: _getSuperclass).first {
            modules.contains(String(reflecting: $0).prefix { $0 != "." })
        }
        return base == NSObject.self ? nil : base
    }

    private static func shape(of type: AnyClass) -> Shape? {
        for type in sequence(first: type, next: _getSuperclass) {
            if let shape = shapes[String(describing: type)] { return shape }
        }
        return nil
    }

    /// Whether each numbered key refers to an object that can be hashed.
    private static func numbered(_ prefix: String, _ fields: Fields) -> Bool {
        fields.values.allSatisfy { key, value in
            guard key.hasPrefix(prefix), Int(key.dropFirst(prefix.count)) != nil else {
                return true
            }
            return fields.archive.place(value).map(fields.hasHash) == true
        }
    }

    private static func isCounted(_ fields: Fields) -> Bool {
        fields.values.allSatisfy { key, _ in
            !key.hasPrefix("NS.count") || fields.integer(key, in: 0...1_000_000_000)
        }
    }

    /// Whether the fields describe an index set. A single range has two fields. Several ranges are
    /// stored in one field as integers of variable length, with seven bits in each byte.
    private static func isIndexSet(_ fields: Fields) -> Bool {
        guard case .integer(let count)? = fields["NSRangeCount"], count != 1 else {
            return fields.integer("NSLocation", in: 0...Int64.max / 4)
                && fields.integer("NSLength", in: 1...Int64.max / 4)
        }
        if count == 0 { return true }
        guard case .data(let data)? = fields.archive.value(fields["NSRangeData"]) else {
            return false
        }
        var numbers: [Int64] = [0]
        var shift = 0
        for byte in data {
            numbers[numbers.count - 1] |= Int64(byte & 0x7F) << shift
            shift = byte < 0x80 ? 0 : shift + 7
            if shift == 0 { numbers.append(0) }
            if shift > 56 { return false }
        }
        numbers.removeLast()
        let lengths = stride(from: 1, to: numbers.count, by: 2).map { numbers[$0] }
        return shift == 0 && lengths.count == count && numbers.count == 2 * lengths.count
            && lengths.allSatisfy { $0 > 0 }
    }

    private static func isExpression(_ fields: Fields) -> Bool {
        guard let pattern = fields.text("NSPattern"), fields.integer("NSOptions", in: 0...127)
        else { return false }
        let options = NSRegularExpression.Options(rawValue: 0)
        return (try? NSRegularExpression(pattern: pattern, options: options)) != nil
    }
}
