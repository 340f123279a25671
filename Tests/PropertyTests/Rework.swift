import CoreData

/// Makes several changes and refreshes of one context in one event.
///
/// Only few objects are drawn, so the same objects are changed, refreshed and changed again, from
/// either end of their relationships.
struct Rework {
    typealias Identity = ReferenceGraph.Identity

    let runner: SequenceRunner
    let number: Int
    let seed: Int
    let log: Int

    private enum Step: CaseIterable {
        case number, text, author, addWork, removeWork, link, unlink, drop, merge, mark

        static let drawn = allCases + [.drop, .drop, .merge]

        var operation: Operation.Kind {
            switch self {
            case .number: .number
            case .text: .text
            case .author: .author
            case .addWork: .addWork
            case .removeWork: .removeWork
            case .link: .link
            default: .unlink
            }
        }

        var kinds: [ReferenceGraph.Kind] {
            switch self {
            case .author: [.book, .note]
            case .addWork, .removeWork: [.author]
            case .link, .unlink: [.book]
            default: ReferenceGraph.Kind.allCases
            }
        }
    }

    func run(
        _ changes: inout ReferenceChanges, below: ReferenceGraph, _ say: (String) -> Void
    ) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let present = below.applying(changes).rows.keys.sorted()
        guard !present.isEmpty else { return }
        let few = (0..<4).map { _ in present[random.next(below: present.count)] }
        for index in 0..<(2 + random.next(below: 5)) {
            let step = Step.drawn[random.next(below: Step.drawn.count)]
            let view = below.applying(changes)
            let candidates = few.filter { identity in
                view.rows[identity].map { step.kinds.contains($0.kind) } ?? false
            }
            let pick = random.next(below: 1 << 16)
            guard !candidates.isEmpty else { continue }
            let identity = candidates[pick % candidates.count]
            let edit = Edit(
                runner: runner, number: number, view: view, identity: identity, pick: pick / 4,
                step: log + index)
            switch step {
            case .drop:
                // The refresh of an unsaved object would drop the number that identifies it.
                if try object(identity).isInserted { continue }
                try refresh(identity, mergeChanges: false)
                changes.discard(identity, over: below)
                say("refresh #\(identity), dropping changes")
            case .merge:
                try refresh(identity, mergeChanges: true)
                say("refresh #\(identity), keeping changes")
            case .mark: say(try mark(identity, pick))
            default:
                if let text = try edit.apply(step.operation, to: &changes) { say(text) }
            }
        }
    }

    private func object(_ identity: Identity) throws -> NSManagedObject {
        guard let object = runner.engine.object(identity, in: number) else {
            throw Failure("#\(identity) is unknown in context \(number)")
        }
        return object
    }

    private func refresh(_ identity: Identity, mergeChanges: Bool) throws {
        let object = try object(identity)
        let context = runner.engine.contexts[number]
        try context.performAndWait {
            let mark = object.value(forKey: "mark") as? Int
            let isKept = mergeChanges && object.hasChanges
            context.refresh(object, mergeChanges: mergeChanges)
            let found = object.value(forKey: "mark") as? Int
            guard found == (isKept ? mark : nil) else {
                throw Failure("#\(identity).mark is \(String(describing: found)) after a refresh")
            }
        }
    }

    /// Sets a transient value, which exists until a refresh drops it.
    private func mark(_ identity: Identity, _ value: Int) throws -> String {
        let object = try object(identity)
        try runner.engine.contexts[number].performAndWait {
            object.setValue(value, forKey: "mark")
            guard object.value(forKey: "mark") as? Int == value else {
                throw Failure("#\(identity).mark is not \(value)")
            }
        }
        return "#\(identity).mark = \(value)"
    }
}
