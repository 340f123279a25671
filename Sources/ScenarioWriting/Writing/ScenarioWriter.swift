import ContextHistory
import ScenarioWords

/// Builds a scenario file from a run: the model, the relevant rows, a session for each context with
/// its steps in the recorded order, and the observations at the end.
///
/// `faultline explore` then runs the same steps in other orders. Operations that a scenario cannot
/// express are counted and listed in comments.
package struct ScenarioWriter {
    private let run: RecordedRun
    private let secrecy: ValueSecrecy

    /// - Parameters:
    ///   - run: the operations of the contexts, in order.
    ///   - secrecy: whether the file contains the values or tokens that replace them.
    package init(_ run: RecordedRun, values secrecy: ValueSecrecy = .full) {
        self.run = run
        self.secrecy = secrecy
    }

    /// The text of the scenario file. Each call uses new random tokens.
    package func file() -> ScenarioFile {
        var generator = SystemRandomNumberGenerator()
        return file(&generator)
    }

    /// The text of the scenario file, with tokens from the given random number generator. Tests use
    /// it.
    package func file(_ generator: inout some RandomNumberGenerator) -> ScenarioFile {
        let cut = RunCut(run)
        let names = ModelNames(run.entities)
        let initial = InitialRows(cut, names)
        let final = FinalRows(initial, cut, run.contexts)
        let values = ValueText(
            secrecy, names, Self.allValues(run, initial, final, names), &generator)
        var objectNames = ObjectNames()
        for object in initial.objects { objectNames.add(object) }
        for operation in run.operations {
            for object in operation.action.objects { objectNames.add(object) }
        }
        for operation in run.operations {
            for object in operation.action.rareObjects { objectNames.add(object) }
        }
        let steps = StepBuilder(
            cut.operations, contexts: contextNames, names, initial, objectNames, values)
        var text = ScenarioText(
            run: run, cut: cut, names: names, initial: initial, final: final, steps: steps)
        let made = text.made()
        let transcript = TranscriptLines(
            run: run, contexts: contextNames, names: names, objectNames: objectNames,
            unsaid: steps.unsaid)
        let (lines, numbers) = transcript.made(&text.steps.values)
        let told = RunHistory(
            run, contexts: contextNames, names, objectNames, text.steps.values, lines: numbers)
        return ScenarioFile(
            text: made, transcript: lines,
            recording: Recording(
                name: Self.name(like: run.name), reason: run.reason.onOneLine,
                values: secrecy.rawValue, missing: told.gaps.phrases.map(\.onOneLine),
                history: told.history),
            unsaid: steps.unsaid, remarks: cut.remarks, order: steps.order,
            steps: steps.sessions.map(\.steps.count).reduce(0, +))
    }

    package static func name(like text: String) -> String {
        ScenarioName.name(like: text, or: "recorded")
    }

    /// A name for each context, which is unique and valid in the scenario language.
    private var contextNames: [String] {
        // These words have another meaning in statements that name a context.
        var taken: Set<String> = ["unknown", "none"]
        return run.contexts.enumerated().map { index, context in
            let other = context.isMain ? "main" : "context\(index + 1)"
            let stem =
                context.name.isEmpty ? other : ScenarioName.name(like: context.name, or: other)
            var name = stem
            var number = 1
            while !taken.insert(name).inserted {
                number += 1
                name = "\(stem)-\(number)"
            }
            return name
        }
    }

    /// All values of each attribute. Their tokens are chosen together.
    private static func allValues(
        _ run: RecordedRun, _ initial: InitialRows, _ final: FinalRows, _ names: ModelNames
    ) -> [AttributePlace: Set<RecordedValue>] {
        var found: [AttributePlace: Set<RecordedValue>] = [:]
        func note(_ entity: String, _ key: String, _ value: RecordedValue) {
            guard let (owner, last) = names.end(of: key, from: entity) else { return }
            found[names.place(of: last, in: owner), default: []].insert(value)
        }
        func note(_ entity: String, _ predicate: RecordedPredicate?) {
            switch predicate {
            case .all(let parts), .any(let parts): for part in parts { note(entity, part) }
            case .not(let part): note(entity, part)
            case .compare(let path, _, let constants):
                for constant in constants { note(entity, path, constant) }
            case .text, nil: break
            }
        }
        for entity in run.entities {
            for attribute in entity.attributes {
                note(entity.name, attribute.name, attribute.defaultValue)
            }
        }
        for rows in [initial.values, final.values] {
            for (object, values) in rows {
                for (key, value) in values { note(object.entity, key, value) }
            }
        }
        for operation in run.operations {
            switch operation.action {
            case .read(let object, let key, let value, _): note(object.entity, key, value)
            case .commit(let rows, _):
                for row in rows {
                    for (key, value) in row.allValues.flatMap(\.self) {
                        note(row.object.entity, key, value)
                    }
                }
            case .fetch(let query, _, _), .count(let query, _), .batch(.delete(let query)),
                .watch(_, let query, _, _, _):
                note(query.entity, query.predicate)
            case .set(let object, let key, let value, let old):
                note(object.entity, key, value)
                if let old { note(object.entity, key, old) }
            case .batch(.insert(let entity, let rows, _)):
                for row in rows {
                    for (key, value) in row { note(entity, key, value) }
                }
            case .batch(.update(let query, let values)):
                note(query.entity, query.predicate)
                for (key, value) in values { note(query.entity, key, value) }
            default: break
            }
        }
        return found
    }
}

/// A scenario file and the notes about it.
package struct ScenarioFile: Sendable {
    package let text: String
    /// A transcript of all operations of the run, with the same tokens as in the file.
    package let transcript: [String]
    /// The recording for the detectors, with the same tokens as in the file.
    package let recording: Recording
    /// The operations that a scenario cannot express, one line for each.
    package let unsaid: [String]
    /// Descriptions of the parts of the run that were omitted because they are irrelevant.
    package let remarks: [String]
    /// The names of the steps in the order in which they were recorded.
    package let order: [String]
    package let steps: Int
}
