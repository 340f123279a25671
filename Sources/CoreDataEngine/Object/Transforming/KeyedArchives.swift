import CoreDataModel
import Foundation

/// Converts between a keyed archive and its object, of any class.
final class KeyedUnarchiveTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
        guard let data = AttributeCoding.flattened(value) as? Data else { return nil }
        return TransformedValues.noting { () throws(ArchiveFailure) in
            try KeyedArchives.object(of: data, allowed: nil)
        }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let object = AttributeCoding.flattened(value) else { return nil }
        return TransformedValues.noting { () throws(ArchiveFailure) in
            try KeyedArchives.data(of: object, allowed: nil)
        }
    }
}

/// Reads and writes keyed archives. Unlike Foundation's archivers, this type does not end the
/// process at unexpected objects and fields.
enum KeyedArchives {
    /// Returns the archive of an object.
    ///
    /// - Parameter allowed: the classes that a secure transformer accepts; nil for every class.
    /// - Throws: an error if the object cannot be archived, or if its archive could not be read
    ///   back.
    static func data(of object: Any, allowed: AllowedClasses?) throws(ArchiveFailure) -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: false)
        let forms = ArchivedForms()
        archiver.delegate = forms
        archiver.encode(try forms.root(object), forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        archiver.delegate = nil
        if let failure = forms.failure { throw failure }
        let data = archiver.encodedData
        _ = try ArchiveCheck.reading(of: data, allowed: allowed)
        return data
    }

    /// Returns the root object of an archive.
    ///
    /// - Parameter allowed: the classes that a secure transformer accepts; nil for every class.
    /// - Throws: an error if the archive is damaged, or contains classes that do not exist or are
    ///   not allowed.
    static func object(of data: Data, allowed: AllowedClasses?) throws(ArchiveFailure) -> Any {
        let reading = try ArchiveCheck.reading(of: data, allowed: allowed)
        let places = reading.needsParts ? reading.places : []
        let unarchiver: NSKeyedUnarchiver
        do {
            unarchiver = try NSKeyedUnarchiver(forReadingFrom: naming(places, in: data))
        } catch {
            throw ArchiveFailure("its keyed archive cannot be read: \(error)")
        }
        unarchiver.requiresSecureCoding = false
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        for (name, type): (String, AnyClass) in reading.classes {
            unarchiver.setClass(type, forClassName: name)
        }
        let originals = OriginalObjects()
        // With a delegate, Foundation decodes equal objects as one object. So the delegate is set
        // only if it is needed.
        if reading.classes.values.contains(where: { $0 is any ArchiveStandIn.Type }) {
            unarchiver.delegate = originals
        }
        defer {
            unarchiver.finishDecoding()
            unarchiver.delegate = nil
        }
        for key in places.map(key) + [NSKeyedArchiveRootObjectKey] {
            let object = unarchiver.decodeObject(forKey: key)
            guard let object, unarchiver.error == nil else {
                throw undecodable(reading, unarchiver.error)
            }
            if key == NSKeyedArchiveRootObjectKey { return object }
        }
        throw undecodable(reading, nil)
    }

    private static func key(_ place: Int) -> String { "faultline \(place)" }

    /// Adds a key for the object at each position to the top level of the archive.
    private static func naming(_ places: [Int], in data: Data) -> Data {
        guard !places.isEmpty, case .dictionary(let pairs)? = BinaryPropertyListReader.read(data)
        else { return data }
        let named = pairs.map { pair -> (key: String, value: ArchiveValue) in
            guard pair.key == "$top", case .dictionary(let roots) = pair.value else { return pair }
            let more = places.map { (key: key($0), value: ArchiveValue.reference($0)) }
            return (pair.key, .dictionary(roots + more))
        }
        return BinaryPropertyListWriter.data(.dictionary(named))
    }

    private static func undecodable(
        _ reading: ArchiveReading, _ error: (any Error)?
    ) -> ArchiveFailure {
        let names = reading.classes.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
        return ArchiveFailure(
            "its keyed archive of \(names) cannot be decoded"
                + (error.map { ": \($0)" } ?? "; init(coder:) returned nil"))
    }
}

/// Returns the original Foundation objects in place of their replacements in the archive.
private final class OriginalObjects: NSKeyedUnarchiverDelegate {
    func unarchiver(_ unarchiver: NSKeyedUnarchiver, didDecode object: Any?) -> Any? {
        (object as? any ArchiveStandIn)?.original ?? object
    }

    func unarchiver(
        _ unarchiver: NSKeyedUnarchiver, cannotDecodeObjectOfClassName name: String,
        originalClasses classNames: [String]
    ) -> AnyClass? { nil }

    func unarchiver(
        _ unarchiver: NSKeyedUnarchiver, willReplace object: Any, with newObject: Any
    ) {}

    func unarchiverWillFinish(_: NSKeyedUnarchiver) {}

    func unarchiverDidFinish(_: NSKeyedUnarchiver) {}
}
