import SwiftSyntax

/// Computes the Objective-C names of Swift methods and properties.
enum ObjectiveCName {
    /// The last part of the selector if a method throws or is asynchronous.
    enum Ending: String {
        case error, completion

        /// The ending for a method without parameters.
        var first: String {
            switch self {
            case .error: "AndReturnError:"
            case .completion: "WithCompletionHandler:"
            }
        }
        /// The ending after other parameters.
        var next: String {
            switch self {
            case .error: "error:"
            case .completion: "completionHandler:"
            }
        }
    }

    /// The Objective-C selector of a method, by Swift's rules.
    static func selector(_ name: String, labels: [String], ending: Ending? = nil) -> String {
        guard let first = labels.first else { return name + (ending?.first ?? "") }
        var selector = name
        if first != "_" {
            let joint = prepositions.contains(firstWord(first)) || endsInPreposition(name)
            selector += (joint ? "" : "With") + capitalized(first)
        }
        selector += ":"
        for label in labels.dropFirst() { selector += (label == "_" ? "" : label) + ":" }
        return selector + (ending?.next ?? "")
    }

    static func setter(_ property: String) -> String { "set\(capitalized(property)):" }

    static func capitalized(_ name: String) -> String {
        name.prefix(1).uppercased() + name.dropFirst()
    }

    static func decapitalized(_ name: String) -> String {
        name.prefix(1).lowercased() + name.dropFirst()
    }

    private static func firstWord(_ label: String) -> String {
        String(label.prefix { !$0.isUppercase }).lowercased()
    }

    private static func endsInPreposition(_ name: String) -> Bool {
        guard let start = name.lastIndex(where: { $0.isUppercase }) else {
            return prepositions.contains(name)
        }
        return prepositions.contains(name[start...].lowercased())
    }

    /// Swift inserts no `With` into a selector before or after these words.
    private static let prepositions: Set<String> = [
        "above", "after", "along", "alongside", "as", "at", "before", "below", "by", "following",
        "for", "from", "given", "in", "including", "inside", "into", "matching", "of", "on",
        "passing", "preceding", "since", "to", "until", "using", "via", "when", "with", "within",
    ]
}
