import ArgumentParser
import CommandLineSupport
import Foundation

/// Writes the manual page of a command in the format of `man`, from the command's help.
enum ManualPage {
    static func text(of root: any ParsableCommand.Type) throws -> String {
        let help = try JSONDecoder().decode(Help.self, from: Data(root._dumpHelp().utf8))
        let command = help.command
        let name = command.commandName
        let own = [
            ".TH \(name.uppercased()) 1 \"\" \"\(name) \(FaultlineVersion.text)\"", ".SH NAME",
            escaped("\(name) - \(command.abstract ?? "")"), ".SH SYNOPSIS",
            ".B \(name)", escaped("COMMAND [options]"), ".SH DESCRIPTION",
        ]
        let subcommands = (command.subcommands ?? []).filter { $0.shouldDisplay ?? true }
            .filter { $0.commandName != "help" }
        return
            (own + paragraphs(command.discussion) + options(command) + [".SH COMMANDS"]
            + subcommands.flatMap { section($0, of: name) })
            .joined(separator: "\n") + "\n"
    }

    private static func section(_ command: Help.Command, of name: String) -> [String] {
        [".SS \(name) \(command.commandName)", escaped(command.abstract ?? "")]
            + paragraphs(command.discussion) + options(command)
    }

    private static func options(_ command: Help.Command) -> [String] {
        (command.arguments ?? []).filter { $0.shouldDisplay ?? true }.flatMap { argument in
            let names = (argument.names ?? []).map { name in
                (name.kind == "short" ? "-" : "--") + name.name
            }
            let value = argument.valueName.map { "<\($0)>" } ?? ""
            let term =
                switch argument.kind {
                case "positional": value
                case "option": names.joined(separator: ", ") + " " + value
                default: names.joined(separator: ", ")
                }
            return [".TP", ".B " + escaped(term), escaped(argument.abstract ?? "")]
        }
    }

    /// Converts text to paragraphs. Empty lines separate them. Lines that begin with spaces keep
    /// their line breaks.
    private static func paragraphs(_ text: String?) -> [String] {
        guard let text, !text.isEmpty else { return [] }
        var lines: [String] = [".PP"]
        for line in text.components(separatedBy: "\n") {
            if line.isEmpty {
                lines.append(".PP")
            } else if line.hasPrefix("  ") {
                lines += [".br", escaped(line)]
            } else {
                lines.append(escaped(line))
            }
        }
        return lines
    }

    /// Escapes the characters that `man` interprets: backslashes, hyphens, and a full stop or an
    /// apostrophe at the start.
    private static func escaped(_ line: String) -> String {
        let text = line.replacingOccurrences(of: "\\", with: "\\e")
            .replacingOccurrences(of: "-", with: "\\-")
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }

    /// The parts of ArgumentParser's JSON description that the page needs.
    private struct Help: Decodable {
        var command: Command

        struct Command: Decodable {
            var commandName: String
            var abstract: String?
            var discussion: String?
            var shouldDisplay: Bool?
            var arguments: [Argument]?
            var subcommands: [Command]?
        }

        struct Argument: Decodable {
            var kind: String
            var names: [Name]?
            var valueName: String?
            var abstract: String?
            var shouldDisplay: Bool?
        }

        struct Name: Decodable {
            var kind: String
            var name: String
        }
    }
}
