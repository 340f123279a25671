import Foundation

/// The rules about the width of lines, and the length of functions and files.
enum SizeRules {
    static let columnsMax = 100
    static let functionLinesMax = 70
    static let codeLinesMax = 500

    /// Finds lines that are too long. Tables, addresses, result files and output of commands may
    /// be.
    static func wideLines(_ file: SourceFile) -> [Violation] {
        let isResult =
            file.path.hasPrefix("Reports/") || file.path.contains("/Golden/")
            || file.path.hasSuffix(".json") || file.path.hasSuffix(".html")
        guard !isResult else { return [] }
        var isOutput = false
        return file.lines.enumerated().compactMap { index, line in
            if line.hasPrefix("```") { isOutput = line == "```console" }
            guard !isOutput, line.utf8.count > columnsMax, line.count > columnsMax else {
                return nil
            }
            let prose = file.isMarkdown || file.path.hasSuffix(".yaml")
            if prose, line.hasPrefix("|") || line.contains("://") { return nil }
            return file.violation(
                index, "line-width", "\(line.count) columns; break it at \(columnsMax)")
        }
    }

    /// Finds files with too many lines, without blank lines and comments.
    static func longFiles(_ file: SourceFile) -> [Violation] {
        let count = file.code.indices.count { !file.isBlankOrComment($0) }
        guard count > codeLinesMax else { return [] }
        return [
            file.violation(
                0, "file-length",
                "\(count) lines of code; split it into subjects of at most \(codeLinesMax)")
        ]
    }

    static func longFunctions(_ file: SourceFile) -> [Violation] {
        Functions.all(in: file).compactMap { function in
            let length = function.last - function.first + 1
            guard length > functionLinesMax else { return nil }
            return file.violation(
                function.first, "function-length",
                "\(function.name) has \(length) lines; name its steps, \(functionLinesMax) at most")
        }
    }
}
