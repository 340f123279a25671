/// The keys of a scenario file. This table is their only definition.
package enum ScenarioKeys {
    package static let version = 1

    package static let root: [KeyRule] = [
        KeyRule("name", .name, required: true, "The scenario's name, used in tokens and reports."),
        KeyRule("about", .text, required: true, "One sentence that says what must hold."),
        KeyRule("kind", .text, "The chapter of the catalogue that the scenario belongs to."),
        KeyRule("bug", .name, "The number of the reported bug (`MB-09`), for the policy matrix."),
        KeyRule("refs", .list(.text), "Addresses of the reports and tests that it comes from."),
        KeyRule("notes", .text, "Why it happens, and how this engine differs."),
        KeyRule(
            "pending", .text,
            "Why the scenario cannot run yet; it is read and counted, but not run."),
        KeyRule(
            "include", .oneOrMore(.text),
            "Files next to this one with shared keys: maps are merged and this file's values"
                + " win, lists are prepended. Name them `*.part.yaml`."),
        KeyRule("model", .keys(model), "The managed object model; here or in an included file."),
        KeyRule(
            "store", .either(short: storeWord, long: .keys(store)),
            "The store; `sqlite-image` by default."),
        KeyRule(
            "topology", .word(Topology.allCases.map(\.rawValue), parameter: true),
            "A set of contexts by name; `contexts` adds settings and more contexts to it."),
        KeyRule(
            "contexts", .named("a context", .keys(context)),
            "The contexts, in the order in which they are made; a parent comes before its child."),
        KeyRule(
            "quirk", .word(Quirk.allCases.map(\.rawValue), parameter: true),
            "A reported misbehaviour of Apple's framework to imitate; by default `none`."),
        KeyRule(
            "matrix", .named("a parameter", .list(.scalar)),
            "Parameters and their values; the scenario runs once for each combination."),
        KeyRule(
            "setup", .list(.line("step")),
            "Rows that exist before the sessions start, one statement a line; saved together."),
        KeyRule(
            "sessions", .named("a session", .keys(session)), required: true,
            "The concurrent sessions; each is a list of named steps on one context."),
        KeyRule(
            "blocks", .named("a block", .keys(block)),
            "Work that an `enqueue` step puts on a context's queue."),
        KeyRule(
            "after", .list(.line("after")),
            "Orders that every schedule keeps: `STEP requires STEP`, or a delivery:"
                + " `STEP requires ~m(A→B)`."),
        KeyRule(
            "schedules", .list(.line("schedule")),
            "The only schedules to run, as step names in order; every interleaving by default."),
        KeyRule(
            "atomic", .list(.line("atomic")),
            "Steps of one session that run without interruption, by name: `STEP STEP …`."),
        KeyRule(
            "pinned", .named("a schedule", .line("schedule")),
            "Schedules whose transcripts are kept as `golden/SCENARIO.NAME.txt` next to the file,"
                + " and compared; they run in the first cell."),
        KeyRule(
            "invariants", .list(.word(Invariant.allCases.map(\.rawValue), parameter: false)),
            "Findings that no schedule may have, by name."),
        KeyRule(
            "mode", .word(ScheduleMode.allCases.map(\.rawValue), parameter: false),
            "`baton` runs each session and each queue on a thread, one running at a time, and stops"
                + " them at every wait, which finds deadlocks; `threads` lets them run on real"
                + " threads and queues, repeatedly, and grades the outcomes: `limit`"
                + " counts runs (200 by default), and a run cannot be replayed, so it has no"
                + " token; `inline` by default."),
        KeyRule("explore", .keys(explore), "The limits of the exploration."),
        KeyRule(
            "observe", .named("an observation", .line("observation")), required: true,
            "The values to read when all steps have ended."),
        KeyRule(
            "headline", .oneOrMore(.name),
            "The observations that the matrix shows; by default the first."),
        KeyRule(
            "outcomes", .list(.keys(outcome)), required: true,
            "The possible outcomes, each with a grade and a reason; the first match counts."),
        KeyRule(
            "cures", .named("a cure", .keys(cure)),
            "Variations of this scenario that must pass."),
    ]

    static let storeWord = KeyRule.Form.word(
        StoreSpec.Kind.allCases.map(\.rawValue), parameter: true)

    static let model: [KeyRule] = [
        KeyRule("entities", .named("an entity", .keys(entity)), "The entities, written here."),
        KeyRule(
            "path", .text,
            "An `.xcdatamodeld` or `.xcdatamodel`, next to this file or after `fixtures:`."),
        KeyRule("version", .text, "The model version to take from an `.xcdatamodeld`."),
    ]

    static let entity: [KeyRule] = [
        KeyRule("parent", .name, "The superentity."),
        KeyRule("abstract", .flag, "Whether the entity has no rows of its own."),
        KeyRule(
            "attributes", .named("an attribute", .line("attribute")), "The entity's attributes."),
        KeyRule(
            "relationships", .named("a relationship", .line("relationship")),
            "The entity's relationships."),
        KeyRule(
            "unique", .list(.oneOrMore(.name)),
            "Uniqueness constraints; a list inside the list is one constraint of several keys."),
        KeyRule(
            "on-delete", .name,
            "A property that `prepareForDeletion` of the entity's objects reads, as an app's class"
                + " may; `hook-saw` returns its value."),
    ]

    static let store: [KeyRule] = [
        KeyRule(
            "kind", storeWord,
            "`sqlite-image` is a database in memory, the fastest; `sqlite` is a file;"
                + " `in-memory` is Core Data's in-memory store, `xml` and `binary` are its stores"
                + " of one whole file: no constraints, batches or SQL."),
        KeyRule(
            "journal", .word(["wal", "delete"], parameter: true),
            "The journal mode of a file; `wal` by default."),
        KeyRule(
            "copy-of", .text,
            "An existing store to copy, next to this file or after `fixtures:`; never written to."),
    ]

    static let context: [KeyRule] = [
        KeyRule(
            "queue", .word(["main", "private"], parameter: true),
            "The queue type; `private` by default."),
        KeyRule(
            "parent", .text, "The parent context; by default the context is on a coordinator."),
        KeyRule(
            "coordinator", .name,
            "The name of its coordinator; another name is another stack on the same file."),
        KeyRule("policy", .line("policy"), "The merge policy; `error` by default."),
        KeyRule(
            "automerge", .flag, "Sets `automaticallyMergesChangesFromParent`; off by default."),
        KeyRule("undo", .flag, "Whether the context has an undo manager; none by default."),
        KeyRule(
            "merges-from", .oneOrMore(.nameOrParameter),
            "Contexts whose did-save notifications an observer merges into this one; `none` names"
                + " no context."),
        KeyRule(
            "on-save", .oneOrMore(.name),
            "Blocks that an observer puts on their queues each time this context has saved."),
        KeyRule(
            "waits-on-save", .oneOrMore(.name),
            "Blocks that an observer runs on their queues inside this context's did-save"
                + " notification, and waits for: the save continues when they have ended."),
        KeyRule(
            "waits-on-change", .oneOrMore(.name),
            "The blocks that run inside the did-change notification."),
    ]

    static let session: [KeyRule] = [
        KeyRule("context", .name, required: true, "The context that the steps use."),
        KeyRule(
            "steps", .named("a step", .line("step")), required: true, "The steps, one line each."),
    ]

    static let block: [KeyRule] = [
        KeyRule("context", .name, required: true, "The context whose queue runs the block."),
        KeyRule("do", .line("step"), required: true, "The block's statements."),
    ]

    static let explore: [KeyRule] = [
        KeyRule(
            "limit", .number(1, 100_000_000),
            "The maximum number of schedules to run per cell; if they pass, a limit that is stated"
                + " is enough, and the reasons say that it was reached."),
        KeyRule(
            "preemptions", .number(0, 1_000),
            "Runs only schedules with at most this many switches away from a session or queue that "
                + "could continue; if they pass, that is enough, and the reasons name the bound."),
        KeyRule("seed", .number(0, .max), "The seed of the sample."),
    ]

    static let grades = ["acceptable", "interesting", "forbidden", "defect"]

    static let outcome: [KeyRule] = [
        KeyRule(
            "grade", .word(grades, parameter: false), required: true,
            "`defect` is the reported misbehaviour: every cell that `when` names must show it."
        ),
        KeyRule(
            "is",
            .either(
                short: .word(["serial"], parameter: false), long: .named("an observation", .pattern)
            ),
            required: true,
            "The observed values; `serial` matches all outcomes of sessions one after another."),
        KeyRule(
            "when", .named("a parameter", .oneOrMore(.scalar)),
            "The values of parameters for which this outcome counts; by default all."),
        KeyRule(
            "finding", .word(FindingNames.all, parameter: false),
            "The finding that must accompany a defect."),
        KeyRule("because", .text, required: true, "The reason."),
    ]

    static let cure: [KeyRule] = [
        KeyRule("about", .text, required: true, "The difference, and why it helps."),
        KeyRule(
            "contexts", .named("a context", .keys(context)),
            "Settings of contexts that replace the scenario's; contexts to add."),
        KeyRule(
            "sessions", .named("a session", .keys(curedSession)),
            "Sessions to replace or to add: `steps` then replaces all steps of the session;"
                + " sessions that are not named stay."),
        KeyRule(
            "blocks", .named("a block", .keys(block)), "Blocks to add, or to replace as a whole."),
        KeyRule(
            "entities", .named("an entity", .keys(entity)),
            "Entities to add, or to replace as a whole."),
        KeyRule("after", .list(.line("after")), "Orders to use instead of the scenario's."),
        KeyRule(
            "atomic", .list(.line("atomic")), "Glued steps to use instead of the scenario's."),
        KeyRule(
            "topology", .word(Topology.allCases.map(\.rawValue), parameter: true),
            "Another set of contexts."),
        KeyRule(
            "setup", .list(.line("step")), "Rows to start from instead of the scenario's."),
        KeyRule(
            "invariants", .list(.word(Invariant.allCases.map(\.rawValue), parameter: false)),
            "Findings that no schedule of the cure may have."),
        KeyRule(
            "outcomes", .list(.keys(outcome)), required: true, "Outcomes of the cure."),
    ]

    static let curedSession: [KeyRule] = [
        KeyRule("context", .name, "The context that the steps use, for a session to add."),
        KeyRule(
            "steps", .named("a step", .line("step")), required: true,
            "All steps of the session, including the unchanged ones."),
    ]
}

/// The names of findings in files and reports.
package enum FindingNames {
    package static let all = [
        "lost update", "lost property", "blanked by trump", "unique race", "poisoned context",
        "read your writes", "missed merge", "late merge", "stale read", "queue confinement",
        "crossed contexts", "bad predicate", "deadlock", "potential deadlock", "engine error",
        "dangling relationship",
        "write skew", "resurrected delete", "half-way save", "notification loop", "dirty read",
        "intermediate read", "read skew", "phantom", "duplicated merge", "no convergence",
        "ghost update", "broken inverse", "temporary id escaped",
        "step never runs",
    ]
}
