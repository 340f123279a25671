import CoreData
import CoreDataEngine
import CoreDataModel
import CoreDataTrace
import Foundation

/// The targets that read keyed archives of transformable attributes. The archives contain objects
/// of Foundation's classes, of custom classes, and of classes that do not exist.
enum ArchiveTargets {
    static let all: [FuzzTargets.Entry] = [
        FuzzTargets.Entry("keyed-archives", floor: 200, most: 400_000) { name in
            let secure = NSSecureUnarchiveFromDataTransformer()
            guard
                let keyed = ValueTransformer(forName: .keyedUnarchiveFromDataTransformerName)
            else { throw FuzzFailure("the transformer of keyed archives is missing") }
            let seeds = try values().map { value in
                guard let data = keyed.reverseTransformedValue(value) as? Data else {
                    throw FuzzFailure("a \(type(of: value)) cannot be archived")
                }
                return sorted(data)
            }
            // Sharing both transformers without a lock is safe, because they have no state.
            nonisolated(unsafe) let transformers = [keyed, secure]
            return FuzzTarget(name, PropertyListSource(seeds + strangers)) { input in
                EngineLog.capture({ _ in }) {
                    transformers.map { read(Data(input), by: $0) }.max { rank($0) < rank($1) }
                        ?? .refused
                }
            }
        }
    ]

    private static func values() throws -> [Any] {
        let decimal = NSDecimalNumber(string: "12345678901234567890.5")
        let date = Date(timeIntervalSinceReferenceDate: 3.5)
        let list: NSArray = ["a", 1, 2.5, true, NSNull(), decimal, date, Data([1])]
        let text = NSMutableAttributedString(
            string: "one", attributes: [NSAttributedString.Key("k"): "v"])
        text.append(NSAttributedString(string: "two"))
        let indexes = NSMutableIndexSet(index: 3)
        indexes.add(9)
        return [
            list, NSMutableArray(array: [list]), NSDictionary(dictionary: ["k": list]), NSSet(),
            NSCountedSet(array: ["a", "a"]), NSOrderedSet(array: ["b", "a"]), text, indexes,
            NSIndexPath(indexes: [1, 300, 2], length: 3), NSURL(fileURLWithPath: "/a"),
            NSLocale(localeIdentifier: "de_DE"), NSTimeZone(forSecondsFromGMT: 60),
            NSCalendar(calendarIdentifier: .gregorian) ?? NSNull(), NSDateComponents(),
            NSDateInterval(start: date, duration: 3),
            NSUUID(uuidString: FuzzLibrary.identifier) ?? NSNull(),
            NSCharacterSet(charactersIn: "ab"),
            NSValue(range: NSRange(location: 1, length: 2)), NSValue(rect: .zero),
            NSURLQueryItem(name: "a", value: "b"), try NSRegularExpression(pattern: "a+"),
            NSMeasurement(doubleValue: 3, unit: UnitLength.meters), NSPersonNameComponents(),
            NSError(domain: "d", code: 1, userInfo: ["k": "v"]), NSMutableString(string: "s"),
            NSMutableData(data: Data([1, 2])), FuzzNote([list, FuzzNote([])]), [FuzzNote(["x"])],
        ]
    }

    private static let strangers: [[UInt8]] = ["UIColor", "NSColor", "Other.Note"].map { name in
        let objects: [ArchiveValue] = [
            .string("$null"),
            .dictionary([("$class", .reference(2)), ("v", .reference(3))]),
            .dictionary([
                ("$classname", .string(name)),
                ("$classes", .array([.string(name), .string("NSObject")])),
            ]),
            .string("text"),
        ]
        return [UInt8](
            BinaryPropertyListWriter.data(
                .dictionary([
                    ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
                    ("$top", .dictionary([("root", .reference(1))])),
                    ("$objects", .array(objects)),
                ])))
    }

    /// Sorts the keys of an archive. Their order would otherwise differ between processes.
    private static func sorted(_ archive: Data) -> [UInt8] {
        func sorted(_ value: ArchiveValue) -> ArchiveValue {
            switch value {
            case .array(let parts): .array(parts.map(sorted))
            case .dictionary(let pairs):
                .dictionary(pairs.map { ($0.key, sorted($0.value)) }.sorted { $0.0 < $1.0 })
            default: value
            }
        }
        let list = BinaryPropertyListReader.read(archive).map(sorted)
        return list.map { [UInt8](BinaryPropertyListWriter.data($0)) } ?? [UInt8](archive)
    }

    /// Reads an archive. If it can be read, its value must be writable, and the result must be
    /// readable again.
    private static func read(_ archive: Data, by transformer: ValueTransformer) -> FuzzVerdict {
        guard let object = transformer.transformedValue(archive) else { return .refused }
        guard let again = transformer.reverseTransformedValue(object) as? Data else {
            return .refused
        }
        return transformer.transformedValue(again) == nil
            ? .broken("a \(type(of: object)) was archived but cannot be read") : .accepted
    }

    private static func rank(_ verdict: FuzzVerdict) -> Int {
        switch verdict {
        case .refused: 0
        case .accepted: 1
        case .broken: 2
        }
    }
}

/// A custom class whose name is in archives.
final class FuzzNote: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    private let parts: [Any]

    init(_ parts: [Any]) { self.parts = parts }

    func encode(with coder: NSCoder) {
        coder.encode(parts.count, forKey: "count")
        coder.encode(NSArray(array: parts), forKey: "parts")
    }

    init?(coder: NSCoder) {
        guard coder.decodeInteger(forKey: "count") >= 0 else { return nil }
        parts = coder.decodeObject(forKey: "parts") as? [Any] ?? []
    }
}
