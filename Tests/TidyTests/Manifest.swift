/// The modules that a package's manifest declares, with the modules that each of them uses.
struct Manifest {
    struct Module {
        let name: String
        let isTest: Bool
        /// The targets of the list of dependencies, without products of other packages.
        let dependencies: [String]
    }

    let modules: [Module]

    init(_ file: SourceFile) {
        let reader = ManifestReader(file)
        modules = reader.targets.compactMap { reader.module($0) }
    }
}

/// Finds the targets in the text of a manifest and splits them into arguments.
private struct ManifestReader {
    private let text: [Unicode.Scalar]
    /// The text with the contents of strings blanked; each scalar has the same position as in
    /// the text.
    private let code: [Unicode.Scalar]

    init(_ file: SourceFile) {
        text = Array(file.text.unicodeScalars)
        code = Array(file.code.joined(separator: "\n").unicodeScalars)
    }

    /// The elements of the list that follows the line `targets: [`.
    var targets: [Range<Int>] {
        var start = 0
        while let end = code[start...].firstIndex(of: "\n") {
            if words(start..<end) == "targets: [" { return inside(start..<code.count) }
            start = end + 1
        }
        return []
    }

    /// The module of one element, such as `module("Name", ["Dependency"])`.
    func module(_ element: Range<Int>) -> Manifest.Module? {
        let function = words(element).prefix { $0 != "(" }
        let arguments = inside(element)
        guard let first = arguments.first, let name = literals(first).first else { return nil }
        let list = arguments.dropFirst().first {
            words($0).hasPrefix("dependencies:") || words($0).hasPrefix("[")
        }
        let names = list.map { inside($0).flatMap(ownLiteral) } ?? []
        let isBelowTests = arguments.contains { words($0).hasPrefix("path: \"Tests/") }
        return Manifest.Module(
            name: name, isTest: ["tests", ".testTarget"].contains(function) || isBelowTests,
            dependencies: names)
    }

    /// The text of a range without comments and without white space at its ends.
    private func words(_ range: Range<Int>) -> String {
        var view = String.UnicodeScalarView()
        // Only the code shows where comments end.
        let kept = range.drop { code[$0].properties.isWhitespace }
        view.append(contentsOf: kept.map { text[$0] })
        while view.last?.properties.isWhitespace == true { view.removeLast() }
        return String(view)
    }

    /// The string that is the whole element, or nothing if the element is an expression.
    private func ownLiteral(_ element: Range<Int>) -> [String] {
        words(element).hasPrefix("\"") ? literals(element) : []
    }

    private func literals(_ range: Range<Int>) -> [String] {
        let parts = words(range).split(separator: "\"", omittingEmptySubsequences: false)
        return parts.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }

    /// The elements between the first bracket of a range and its closing bracket, split at the
    /// commas outside of inner brackets.
    private func inside(_ range: Range<Int>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var depth = 0
        var start = range.lowerBound
        for index in range {
            switch code[index] {
            case "(", "[", "{":
                depth += 1
                if depth == 1 { start = index + 1 }
            case ")", "]", "}":
                depth -= 1
                if depth == 0 { return (found + [start..<index]).filter { !words($0).isEmpty } }
            case ",":
                if depth == 1 {
                    found.append(start..<index)
                    start = index + 1
                }
            default: break
            }
        }
        return found
    }
}
