/// The checks of random scenarios.
enum Oracle: String, Codable, CaseIterable, Sendable {
    case valid = "the generator's scenarios are valid"
    case text = "a scenario has the same results when it is read from its file"
    case stores = "stores agree"
    case reduction = "every strategy has the same results as brute force"
    case soleWriter = "the only writer of a store never conflicts"
    case inverses = "both ends of a relationship agree in the store"
    case serial = "sessions that run one after another have the reference's result"
    case repetition = "a schedule that runs again has the same history"
    case deadlock = "a scenario without a wait does not deadlock"
    case crash = "no scenario ends the process"
    case hang = "every scenario ends"
}

/// A failed check.
struct Complaint: Codable, Sendable, Hashable {
    let oracle: Oracle
    let text: String

    init(_ oracle: Oracle, _ text: String) {
        self.oracle = oracle
        self.text = text
    }
}

extension Complaint {
    /// The text without names and numbers. Complaints of the same kind probably have the same
    /// cause.
    var kind: String {
        var words: [Substring] = []
        for word in text.split(separator: " ") where !word.contains(where: \.isNumber) {
            if word.contains(".") || word.hasPrefix("'") { continue }
            words.append(word)
        }
        let telling = words.prefix { $0 != "after" }.joined(separator: " ")
        return "\(oracle.rawValue): \(telling)"
    }
}

struct Judgement: Codable, Sendable {
    var complaints: [Complaint] = []
    var counts: [String: Int] = [:]

    mutating func count(_ name: String, _ number: Int = 1) {
        counts[name, default: 0] += number
    }

    mutating func complain(_ oracle: Oracle, _ text: String?) {
        if let text { complaints.append(Complaint(oracle, text)) }
    }
}
