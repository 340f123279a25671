import ArgumentParser

/// The setting that controls whether the tool colours its output.
package enum ColourChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Output is coloured on a terminal, unless NO_COLOR is set or TERM is `dumb`.
    case auto
    case always
    case never
}

/// The colour option. It may be anywhere among the arguments of a command.
package struct ColourGroup: ParsableArguments {
    @Option(name: .customLong("color"), help: "Colours: auto, always or never.")
    package var choice: ColourChoice = .auto

    package init() {}

    private static let name = "--color"

    /// Finds the colour option and applies it. Returns the arguments with the option at the front,
    /// where the parser expects it.
    package static func first(_ arguments: [String]) -> [String] {
        var rest = arguments
        let options = rest.prefix { $0 != "--" }
        var words: [String] = []
        if let index = options.firstIndex(where: { $0.hasPrefix(name + "=") }) {
            words = [rest.remove(at: index)]
        } else if let index = options.firstIndex(of: name), index + 1 < options.count {
            words = Array(rest[index...index + 1])
            rest.removeSubrange(index...index + 1)
        }
        guard let word = words.last else { return arguments }
        let value = word.hasPrefix(name + "=") ? String(word.dropFirst(name.count + 1)) : word
        if let choice = ColourChoice(rawValue: value) { Console.choose(choice) }
        return words + rest
    }
}
