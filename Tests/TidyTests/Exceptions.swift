/// A file in which a rule does not hold. A test fails if an exception is no longer needed.
struct Exception {
    let rule: String
    let path: String
    let reason: String
}

enum Exceptions {
    private static let snippets = "Tests/Clients/SourcesApp/Sources/"

    static let all: [Exception] = [
        Exception(
            rule: "layer", path: "Sources/CoreDataEngine/Context/NSManagedObjectContext.swift",
            reason:
                "Swift overrides only members of the class body, and `execute(_:)` runs requests"
                + " of every kind."),
        carriageReturns("line-width"), carriageReturns("white-space"), carriageReturns("header"),
        Exception(
            rule: "white-space", path: snippets + "Unended.swift",
            reason: "The rewriter is tried with a last line that does not end."),
        Exception(
            rule: "header", path: snippets + "Unended.swift",
            reason: "A comment keeps the formatter from changing the last line."),
        Exception(
            rule: "header", path: snippets + "OnlyComments.swift",
            reason: "The rewriter is tried with a file of comments."),
    ]

    private static func carriageReturns(_ rule: String) -> Exception {
        Exception(
            rule: rule, path: snippets + "Returned.swift",
            reason: "The rewriter is tried with carriage returns.")
    }
}
