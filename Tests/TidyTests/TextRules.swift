/// Rules about the format of texts, and about names that a public repository must not contain.
enum TextRules {
    static func titles(_ file: SourceFile) -> [Violation] {
        guard file.isMarkdown else { return [] }
        var isFenced = false
        var titles: [Int] = []
        for (index, line) in file.lines.enumerated() {
            if line.hasPrefix("```") { isFenced.toggle() }
            if !isFenced, line.hasPrefix("# ") { titles.append(index) }
        }
        guard titles.count != 1 else { return [] }
        return [
            file.violation(
                titles.last ?? 0, "title", "\(titles.count) titles of level 1; a page has one")
        ]
    }

    /// Finds links of a page to files of the repository that do not exist.
    static func links(_ file: SourceFile, exists: (String) -> Bool) -> [Violation] {
        guard file.isMarkdown else { return [] }
        let folder = file.path.split(separator: "/").dropLast()
        return file.lines.enumerated().flatMap { index, line in
            line.matches(of: /\]\(([^)#\s]+)(#[^)]*)?\)/).compactMap { link in
                guard !link.1.contains(":") else { return nil }
                var parts = folder
                for part in link.1.split(separator: "/") where part != "." {
                    if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
                }
                guard !exists(parts.joined(separator: "/")) else { return nil }
                return file.violation(index, "link", "\(link.1) does not exist; correct the link")
            }
        }
    }

    /// Finds absolute paths, which exist only on one machine.
    static func machinePaths(_ file: SourceFile) -> [Violation] {
        let paths = ["/work" + "/", "/tmp" + "/", "/home" + "/", "/root" + "/", "/Users" + "/"]
        return find(paths, in: file) {
            ("machine-path", "write a path relative to the repository instead of \($0)")
        }
    }

    /// Finds names of tools. The repository describes only its subject, not how it was written.
    static func tools(_ file: SourceFile) -> [Violation] {
        let names = [
            "clau" + "de", "anthro" + "pic", "chat" + "gpt", "copi" + "lot", "open" + "ai",
        ]
        // Most files do not name a tool, so the whole text is searched first.
        let text = file.text.lowercased()
        guard names.contains(where: { text.contains($0) }) else { return [] }
        return file.lines.enumerated().compactMap { index, line in
            let words = Words.of(line.lowercased())
            guard let name = names.first(where: words.contains) else { return nil }
            return file.violation(index, "tool-name", "leave out \(name)")
        }
    }

    static let rootFiles: Set<String> = [
        ".editorconfig", ".gitignore", ".swift-format", "ARCHITECTURE.md", "CHANGELOG.md",
        "CONTRIBUTING.md", "DEVIATIONS.md", "HACKING.md", "LICENSE", "Package.resolved",
        "Package.swift", "README.md", "STYLE.md", "faultline", "test",
    ]

    static func strays(_ file: SourceFile) -> [Violation] {
        guard !file.path.contains("/"), !rootFiles.contains(file.path) else { return [] }
        return [file.violation(0, "stray", "move it into a folder, or remove it")]
    }

    /// Finds comments at the top of files. The documentation of a declaration must state their
    /// purpose.
    static func headers(_ file: SourceFile) -> [Violation] {
        guard file.isSwift, let first = file.lines.first, first.hasPrefix("//"),
            !first.hasPrefix("///"), !first.hasPrefix("// swift-tools-version"),
            // The plugin `CoreDataSources` reads this line.
            !first.hasPrefix("// Sources: ")
        else { return [] }
        return [file.violation(0, "header", "say it in the documentation of a declaration")]
    }

    static func whiteSpace(_ file: SourceFile) -> [Violation] {
        guard !file.path.hasPrefix("Reports/"), !file.path.contains("/Golden/") else { return [] }
        var found = file.lines.enumerated().compactMap { index, line in
            line.hasSuffix(" ") || line.hasSuffix("\t")
                ? file.violation(index, "white-space", "remove it from the line's end") : nil
        }
        if file.lines.last?.isEmpty == false {
            found.append(file.violation(file.lines.count - 1, "white-space", "end with a newline"))
        }
        return found
    }

    private static func find(
        _ needles: [String], in file: SourceFile,
        _ describe: (String) -> (rule: String, fix: String)
    ) -> [Violation] {
        // Most files do not contain any of the words, so the whole text is searched first.
        guard needles.contains(where: { file.text.contains($0) }) else { return [] }
        return file.lines.enumerated().compactMap { index, line in
            guard line.contains("/"), let needle = needles.first(where: { line.contains($0) })
            else { return nil }
            let (rule, fix) = describe(needle)
            return file.violation(index, rule, fix)
        }
    }
}
