import ArgumentParser

extension CommandConfiguration {
    /// A command with examples at the end of its help.
    ///
    /// - Parameter examples: whole lines without the program's name.
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
