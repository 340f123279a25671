import ArgumentParser

extension CommandConfiguration {
    /// Creates a configuration whose help ends with examples.
    ///
    /// - Parameter examples: command lines without the program's name.
    package init(
        commandName: String, abstract: String, discussion: String = "", examples: [String],
        shouldDisplay: Bool = true
    ) {
        let lines = examples.map { "  \(ProgramName.text) \($0)" }
        let parts = [discussion, "Examples:\n" + lines.joined(separator: "\n")]
        self.init(
            commandName: commandName, abstract: abstract,
            discussion: parts.filter { !$0.isEmpty }.joined(separator: "\n\n"),
            shouldDisplay: shouldDisplay)
    }
}
