import CoreDataEngine
import CoreDataModel
import Foundation

/// Records changes as text.
final class ChangeLog: NSObject, KeyValueObserver {
    private(set) var lines: [String] = []
    var onChange: ((ChangeLog) -> Void)?

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        var words = [keyPath ?? "no path"]
        if change?[.notificationIsPriorKey] as? Bool == true { words.append("prior") }
        let names: [UInt: String] = [1: "set", 2: "insert", 3: "remove", 4: "replace"]
        words.append(names[change?[.kindKey] as? UInt ?? 0] ?? "no kind")
        if let old = change?[.oldKey] { words.append("old=\(Self.text(old))") }
        if let new = change?[.newKey] { words.append("new=\(Self.text(new))") }
        if let indexes = change?[.indexesKey] as? IndexSet { words.append("at=\(Array(indexes))") }
        lines.append(words.joined(separator: " "))
        onChange?(self)
    }

    func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    /// The text of a value. A managed object is described by its name or title.
    static func text(_ value: Any) -> String {
        switch value {
        case is NSNull: return "nil"
        case let object as NSManagedObject:
            let key = ["title", "name", "first"].first { object.entity.propertiesByName[$0] != nil }
            return key.flatMap { object.value(forKey: $0) as? String } ?? "?"
        case let set as NSOrderedSet: return "[\(set.array.map(text).joined(separator: ","))]"
        case let set as NSSet:
            return "{\(set.allObjects.map(text).sorted().joined(separator: ","))}"
        case let array as [NSManagedObject]: return "[\(array.map(text).joined(separator: ","))]"
        default: return "\(value)"
        }
    }
}

extension NSManagedObject {
    /// Records changes of these keys in the log, by default with old and new values.
    func log(
        _ keys: String..., to log: ChangeLog, _ options: NSKeyValueObservingOptions = [.old, .new]
    ) {
        for key in keys { addObserver(log, forKeyPath: key, options: options, context: nil) }
    }
}
