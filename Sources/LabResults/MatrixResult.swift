import LabFiles

/// A matrix whose rows are scenarios and whose columns are the values of one axis.
///
/// Reports print it as a table and compare it with the committed expectation.
package struct MatrixResult: SavedResult, Sendable, Hashable {
    package static let kind = ResultKind.matrix

    package var header: ResultHeader
    package var title: String
    /// The axis of the columns, such as `policy`.
    package var axis: String
    package var columns: [Column]
    package var rows: [Row]
    /// The transcripts to which the cells link.
    package var transcripts: [Transcript]
    /// The matrices for other topologies and stores, if requested.
    package var variants: [MatrixVariant]?

    package init(
        title: String, axis: String, columns: [Column], rows: [Row], transcripts: [Transcript],
        variants: [MatrixVariant]? = nil
    ) {
        self.variants = variants
        self.header = ResultHeader(.matrix)
        self.title = title
        self.axis = axis
        self.columns = columns
        self.rows = rows
        self.transcripts = transcripts
    }

    package struct Column: Codable, Sendable, Hashable {
        /// The value of the axis, as scenario files contain it.
        package var id: String
        package var title: String

        package init(id: String, title: String) {
            self.id = id
            self.title = title
        }
    }

    package struct Row: Codable, Sendable, Hashable {
        /// The number of the bug, such as `MB-09`. A scenario without a number has its name here.
        package var id: String
        package var scenario: String
        package var file: String
        package var sentence: String
        package var references: [String]
        package var cells: [Cell]

        package init(
            id: String, scenario: String, file: String, sentence: String, references: [String],
            cells: [Cell]
        ) {
            self.id = id
            self.scenario = scenario
            self.file = file
            self.sentence = sentence
            self.references = references
            self.cells = cells
        }
    }

    package struct Cell: Codable, Sendable, Hashable {
        package var classification: Classification
        /// A short text about the observed values, such as `moods = 2`.
        package var text: String
        /// The reason for the outcome, from the scenario file.
        package var reason: String
        package var token: String?
        /// The id of the cell's transcript in ``MatrixResult/transcripts``.
        package var transcript: String?
        package var verdict: Verdict
        /// The cycle of a finding with this outcome, in one line.
        package var cycle: String?
        /// If the classification is an error: a silent loss in any schedule of the cell.
        package var loss: Loss?

        package init(
            classification: Classification, text: String, reason: String = "",
            token: String? = nil, transcript: String? = nil, verdict: Verdict, loss: Loss? = nil
        ) {
            self.loss = loss
            self.classification = classification
            self.text = text
            self.reason = reason
            self.token = token
            self.transcript = transcript
            self.verdict = verdict
        }

        /// The classification as text. If there is also a loss, `silently lost` follows.
        package var marks: String {
            let words = [classification] + (loss == nil ? [] : [.silentlyLost])
            return words.map(\.text).joined(separator: ", ")
        }

        /// The observed values. If there is also a loss, its values follow.
        package var texts: String { [text, loss?.text].compactMap(\.self).joined(separator: "; ") }

        /// The cell as text for the table of expectations, such as `silently lost: moods = 2`.
        package var summary: String {
            let own = text.isEmpty ? classification.text : "\(classification.text): \(text)"
            return loss.map { "\(own); \($0.summary)" } ?? own
        }
    }

    /// A silent loss in some schedule, in addition to an error.
    package struct Loss: Codable, Sendable, Hashable {
        package var text: String
        package var token: String?

        package init(text: String, token: String?) {
            self.text = text
            self.token = token
        }

        package var summary: String {
            let word = Classification.silentlyLost.text
            return text.isEmpty ? word : "\(word): \(text)"
        }
    }
}

/// The effect of a merge policy on a bug.
package enum Classification: Sendable, Hashable {
    /// The bug did not happen. `how` names the kind of prevention, such as `merged` or `store
    /// wins`.
    case prevented(how: String)
    /// A change was lost without an error.
    case silentlyLost
    /// No change was lost, but the result is wrong: a duplicate, an old value or a lost deletion.
    case silentlyWrong
    /// The save failed. `code` is an error code of `NSCocoaErrorDomain`.
    case error(code: Int)
    /// No change was lost, and nothing had to be prevented.
    case correct
    case skipped(why: String)

    package var text: String {
        switch self {
        case .prevented(let how): "prevented (\(how))"
        case .silentlyLost: "silently lost"
        case .silentlyWrong: "silently wrong"
        case .error(let code): "error \(code)"
        case .correct: "correct"
        case .skipped(let why): "skipped (\(why))"
        }
    }
}

extension Classification: Codable {
    private enum Keys: String, CodingKey { case kind, how, code, why }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: Keys.self)
        switch try box.decode(String.self, forKey: .kind) {
        case "prevented": self = .prevented(how: try box.decode(String.self, forKey: .how))
        case "silently-lost": self = .silentlyLost
        case "silently-wrong": self = .silentlyWrong
        case "error": self = .error(code: try box.decode(Int.self, forKey: .code))
        case "correct": self = .correct
        case "skipped": self = .skipped(why: try box.decode(String.self, forKey: .why))
        case let other:
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: box,
                debugDescription: "'\(other)' is not a classification; "
                    + "write prevented, silently-lost, silently-wrong, error, correct or skipped")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: Keys.self)
        try box.encode(kind, forKey: .kind)
        switch self {
        case .prevented(let how): try box.encode(how, forKey: .how)
        case .error(let code): try box.encode(code, forKey: .code)
        case .skipped(let why): try box.encode(why, forKey: .why)
        case .silentlyLost, .silentlyWrong, .correct: break
        }
    }

    /// The classification without details.
    package var kind: String {
        switch self {
        case .prevented: "prevented"
        case .silentlyLost: "silently-lost"
        case .silentlyWrong: "silently-wrong"
        case .error: "error"
        case .correct: "correct"
        case .skipped: "skipped"
        }
    }
}
