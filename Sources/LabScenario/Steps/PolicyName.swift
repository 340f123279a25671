/// A merge policy by its name in a scenario file.
package struct PolicyName: Sendable, Hashable, CustomStringConvertible {
    /// The first word of the name, such as `error`, `storeTrump` or `recount`.
    package let name: String
    /// The argument of the policy; empty for a policy without an argument.
    package let argument: String

    package init(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        name = parts.first.map(String.init) ?? ""
        argument = parts.count > 1 ? String(parts[1]) : ""
    }

    package var description: String { argument.isEmpty ? name : "\(name) \(argument)" }

    package static let builtIn = ["error", "storeTrump", "objectTrump", "overwrite", "rollback"]

    /// The name for a policy of Core Data's headers or Swift, such as
    /// `NSMergeByPropertyStoreTrumpMergePolicy` or `.mergeByPropertyObjectTrump`; nil for other
    /// names.
    package static func own(of apple: String) -> String? {
        var word = (apple.split(separator: ".").last.map(String.init) ?? apple).lowercased()
        if word.hasPrefix("ns") { word.removeFirst(2) }
        for end in ["type", "mergepolicy"] where word.hasSuffix(end) { word.removeLast(end.count) }
        return switch word {
        case "error": "error"
        case "mergebypropertystoretrump", "mergebystoretrump": "storeTrump"
        case "mergebypropertyobjecttrump", "mergebyobjecttrump": "objectTrump"
        case "overwrite": "overwrite"
        case "rollback": "rollback"
        default: nil
        }
    }

    /// The lab's custom policies, which cure reported bugs.
    package static let cures = ["recount", "newest", "backfill-nils", "backfill-peers"]

    /// Policies without an argument. Policies that a program registers are not included.
    package static let plain = builtIn + ["backfill-nils", "backfill-peers"]
}
