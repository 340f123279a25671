import Foundation

/// A phrase that `STYLE.md` asks to replace.
struct Idiom {
    let name: String
    let remedy: String
    private let expression: NSRegularExpression

    private init(_ name: String, _ pattern: String, _ remedy: String) {
        self.name = name
        self.remedy = remedy
        self.expression = Self.expression(pattern)
    }

    /// The idioms of a text, one element for each occurrence.
    static func all(in prose: Prose) -> [Idiom] {
        let text = withoutCode(prose.text)
        guard any.numberOfMatches(in: text, range: range(text)) > 0 else { return [] }
        return list.filter { prose.kind != .heading || $0.name != clause }.flatMap { idiom in
            let count = idiom.expression.numberOfMatches(in: text, range: range(text))
            return Array(repeating: idiom, count: count)
        }
    }

    private static let clause = "What …, Who …"

    private static let comparatives =
        "longer|larger|smaller|older|newer|later|earlier|higher|lower|wider|faster|slower|shorter"
        + "|more|less|fewer|better|worse|other"

    private static let patterns: [(name: String, pattern: String, remedy: String)] = [
        ("is told", #"(?:is|are|was|were|be|been) told\b(?! apart)"#, "is reported, receives"),
        (
            "tells", #"(?:tells|told)\b(?<!(?:is|are|was|were|be|been) told)(?![^.;]* apart)"#,
            "reports, prints, says"
        ),
        ("whoever", #"whoever\b"#, "the caller, a thread that"),
        (clause, #"(?<=^|[.:] )(?-i:What|Who)\b(?![^.]*\?)"#, "name the noun"),
        ("alone", #"(?<!-)alone\b"#, "only"),
        ("any more", #"any more\b"#, "no longer"),
        ("beside", #"beside\b"#, "next to, in addition to"),
        ("anew", #"anew\b"#, "again"),
        ("so many", #"so many\b"#, "n, that many"),
        ("lets go of", #"let(?:s|ting)? go of\b"#, "releases"),
        ("is none", #"(?:is|are) none\b"#, "is not one, does not exist"),
        ("there is no … with", #"there (?:is|are) no \w+ (?:with|that|of)\b"#, "no … has"),
        ("is no", #"(?<!there )(?:is|are) no (?!(?:"# + comparatives + #")\b)[a-z]"#, "is not a"),
        ("program's own", #"(?:program|user|test|app)'s own\b"#, "custom, its own"),
        ("looks at", #"look(?:s|ed|ing) at\b"#, "reads, inspects"),
        ("stands", #"stands?\b(?!-| for\b| in for\b)"#, "is, is in"),
        ("gives", #"gives\b(?! up\b| way\b)"#, "returns"),
        ("makes of", #"makes? of\b"#, "builds from"),
        ("a store's books", #"(?:store|file)'s (?:own )?books\b"#, "metadata"),
        ("clothes", #"clothes\b"#, "prefix, wrapping"),
    ]

    static var names: [String] { patterns.map(\.name) }

    private static let list = patterns.map { Idiom($0.name, #"\b"# + $0.pattern, $0.remedy) }

    /// Most texts contain no idiom, so one expression searches for all patterns first.
    private static let any = expression(
        #"\b(?:"# + patterns.map(\.pattern).joined(separator: "|") + ")")

    private static func expression(_ pattern: String) -> NSRegularExpression {
        do {
            return try NSRegularExpression(pattern: pattern, options: .caseInsensitive)
        } catch {
            preconditionFailure("\(pattern) is not a regular expression: \(error)")
        }
    }

    private static func range(_ text: String) -> NSRange {
        NSRange(text.startIndex..., in: text)
    }

    private static func withoutCode(_ text: String) -> String {
        guard text.contains("`") else { return text }
        return text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset.isMultiple(of: 2) ? String($0.element) : "#" }.joined()
    }
}
