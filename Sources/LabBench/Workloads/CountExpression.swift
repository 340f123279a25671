/// A predicted count, such as `ceil(authors * books / batch) + 1`. The file reader parses it, and
/// the suite evaluates it.
package struct CountExpression: Sendable, Equatable {
    package let text: String
    private let root: Node

    private indirect enum Node: Sendable, Equatable {
        case number(Double)
        case name(String)
        case binary(Character, Node, Node)
        case ceiling(Node)
    }

    /// The problem of an invalid expression, or of an expression without a value.
    package struct Problem: Error, Sendable, Equatable {
        /// The offset in the string, from 0.
        package var offset: Int
        package var problem: String
        package var remedy: String
    }

    /// Parses an expression.
    ///
    /// - Parameter names: the permitted names.
    package init(_ text: String, names: Set<String>) throws(Problem) {
        var parser = Parser(text: text, names: names)
        self.text = text
        root = try parser.parse()
    }

    /// The value for these parameters.
    ///
    /// - Throws: an error if the value is not a whole number or a parameter is missing.
    package func value(_ numbers: [String: Int]) throws(Problem) -> Int {
        let value = try evaluate(root, numbers)
        guard value == value.rounded(), abs(value) < 1e15 else {
            throw Problem(
                offset: 0, problem: "`\(text)` is \(value), but a count must be a whole number",
                remedy: "write ceil(…) around a division")
        }
        return Int(value)
    }

    private func evaluate(_ node: Node, _ numbers: [String: Int]) throws(Problem) -> Double {
        switch node {
        case .number(let number): return number
        case .ceiling(let inner): return try evaluate(inner, numbers).rounded(.up)
        case .name(let name):
            guard let number = numbers[name] else {
                throw Problem(
                    offset: 0, problem: "`\(name)` has no value here",
                    remedy: "write one of \(numbers.keys.sorted().joined(separator: ", "))")
            }
            return Double(number)
        case .binary(let symbol, let left, let right):
            let (left, right) = (try evaluate(left, numbers), try evaluate(right, numbers))
            return switch symbol {
            case "+": left + right
            case "-": left - right
            case "*": left * right
            default: left / right
            }
        }
    }
}

extension CountExpression {
    private struct Parser {
        let characters: [Character]
        let names: Set<String>
        var position = 0
        var depth = 0
        /// The number of operators so far. A limit on it also limits the depth of the tree.
        var operators = 0

        init(text: String, names: Set<String>) {
            characters = Array(text)
            self.names = names
        }

        mutating func parse() throws(Problem) -> Node {
            let node = try sum()
            if let next = peek() {
                throw problem("`\(next)` does not belong here", "write + - * or / before it")
            }
            return node
        }

        mutating func sum() throws(Problem) -> Node {
            var node = try product()
            while let symbol = peek(), symbol == "+" || symbol == "-" {
                try countOperator()
                node = .binary(symbol, node, try product())
            }
            return node
        }

        mutating func product() throws(Problem) -> Node {
            var node = try term()
            while let symbol = peek(), symbol == "*" || symbol == "/" {
                try countOperator()
                node = .binary(symbol, node, try term())
            }
            return node
        }

        private mutating func countOperator() throws(Problem) {
            operators += 1
            guard operators <= 200 else {
                throw problem(
                    "the expression has more than 200 operators", "write a shorter expression")
            }
            position += 1
        }

        mutating func term() throws(Problem) -> Node {
            guard let next = peek() else {
                throw problem("the expression ends too early", "write a number or a name here")
            }
            if next == "(" { return try parenthesized() }
            let start = position
            let word = take { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            if let number = Int(word.filter { $0 != "_" }) { return .number(Double(number)) }
            if word == "ceil" { return .ceiling(try parenthesized()) }
            guard names.contains(word) else {
                position = start
                throw problem(
                    word.isEmpty ? "`\(next)` does not belong here" : "`\(word)` is not known",
                    "write a number, ceil(…) or one of \(names.sorted().joined(separator: ", "))")
            }
            return .name(word)
        }

        mutating func parenthesized() throws(Problem) -> Node {
            guard peek() == "(" else {
                throw problem("ceil needs parentheses", "write ceil(authors / 2)")
            }
            guard depth < 50 else {
                throw problem("parentheses are nested more than 50 deep", "write fewer")
            }
            position += 1
            depth += 1
            let node = try sum()
            guard peek() == ")" else { throw problem("a `)` is missing", "close the parenthesis") }
            position += 1
            depth -= 1
            return node
        }

        /// The next character that is not a space. The position moves to this character, but not
        /// past it.
        mutating func peek() -> Character? {
            while position < characters.count, characters[position] == " " { position += 1 }
            return position < characters.count ? characters[position] : nil
        }

        mutating func take(while matches: (Character) -> Bool) -> String {
            var word = ""
            while position < characters.count, matches(characters[position]) {
                word.append(characters[position])
                position += 1
            }
            return word
        }

        func problem(_ problem: String, _ remedy: String) -> Problem {
            Problem(offset: position, problem: problem, remedy: remedy)
        }
    }
}
