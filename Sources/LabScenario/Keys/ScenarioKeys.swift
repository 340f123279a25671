/// The keys of a scenario file. This table is their only definition.
package enum ScenarioKeys {
    package static let version = 1

    package static let root: [KeyRule] = [
        KeyRule("name", .name, required: true, "The scenario's name, used in tokens and reports."),
        KeyRule("about", .text, required: true, "One sentence about the required behaviour."),
        KeyRule("kind", .text, "The chapter of the catalogue to which the scenario belongs."),
        KeyRule("bug", .name, "The number of the reported bug (`MB-09`), for the policy matrix."),
        KeyRule(
            "refs", .list(.text),
            "Addresses of the reports and tests on which the scenario is based."),
        KeyRule(
            "notes", .text, "The cause of the behaviour, and the differences in this engine."),
        KeyRule(
            "pending", .text,
            "The reason why the scenario cannot run yet. The scenario is read and counted, but not"
                + " run."),
        KeyRule(
            "include", .oneOrMore(.text),
            "Files with shared keys, in the folder of this file. Mappings are merged, and the"
                + " values of this file take precedence; included lists are prepended. Name the"
                + " files `*.part.yaml`."),
        KeyRule("model", .keys(model), "The managed object model; here or in an included file."),
        KeyRule(
            "store", .either(short: storeWord, long: .keys(store)),
            "The store; `sqlite-image` by default."),
        KeyRule(
            "topology", .word(Topology.allCases.map(\.rawValue), parameter: true),
            "The name of a predefined set of contexts; `contexts` adds settings and further"
                + " contexts."),
        KeyRule(
            "contexts", .named("a context", .keys(context)),
            "The contexts, in the order of their creation; a parent precedes its children."),
        KeyRule(
            "quirk", .word(Quirk.allCases.map(\.rawValue), parameter: true),
            "A reported misbehaviour of Apple's framework to imitate; by default `none`."),
        KeyRule(
            "matrix", .named("a parameter", .list(.scalar)),
            "Parameters and their values; the scenario runs once for each combination."),
        KeyRule(
            "setup", .list(.line("step")),
            "The statements that create rows before the sessions start, one in each line. All rows"
                + " are saved together."),
        KeyRule(
            "sessions", .named("a session", .keys(session)), required: true,
            "The concurrent sessions; each is a list of named steps on one context."),
        KeyRule(
            "blocks", .named("a block", .keys(block)),
            "Work that an `enqueue` step puts on a context's queue."),
        KeyRule(
            "after", .list(.line("after")),
            "The required orders in every schedule: of two steps, `STEP requires STEP`, or of a"
                + " step and a delivery, `STEP requires ~m(A→B)`."),
        KeyRule(
            "schedules", .list(.line("schedule")),
            "The schedules to run, each as step names in order; by default every interleaving"
                + " runs."),
        KeyRule(
            "atomic", .list(.line("atomic")),
            "Steps of one session that run without interruption, by name: `STEP STEP …`."),
        KeyRule(
            "pinned", .named("a schedule", .line("schedule")),
            "Schedules whose transcripts are compared with the files `golden/SCENARIO.NAME.txt`"
                + " next to this file. The schedules run in the first cell."),
        KeyRule(
            "invariants", .list(.word(Invariant.allCases.map(\.rawValue), parameter: false)),
            "Findings that no schedule may have, by name."),
        KeyRule(
            "mode", .word(ScheduleMode.allCases.map(\.rawValue), parameter: false),
            "`inline`, the default, interleaves whole steps on one thread. `baton` runs each"
                + " session and each queue on a separate thread, one at a time, and can switch at"
                + " every wait, which finds deadlocks. `threads` uses real threads and queues: it"
                + " repeats the run, `limit` times (200 by default), and grades the outcomes. Such"
                + " a run cannot be replayed, so it has no token."),
        KeyRule("explore", .keys(explore), "The limits of the exploration."),
        KeyRule(
            "observe", .named("an observation", .line("observation")), required: true,
            "The values to read when all steps have ended."),
        KeyRule(
            "headline", .oneOrMore(.name),
            "The observations that the matrix shows; by default the first observation."),
        KeyRule(
            "outcomes", .list(.keys(outcome)), required: true,
            "The possible outcomes, each with a grade and a reason. The first outcome that matches"
                + " decides."),
        KeyRule(
            "cures", .named("a cure", .keys(cure)),
            "Variations of this scenario that must pass."),
    ]

    static let storeWord = KeyRule.Form.word(
        StoreSpec.Kind.allCases.map(\.rawValue), parameter: true)

    static let model: [KeyRule] = [
        KeyRule("entities", .named("an entity", .keys(entity)), "The entities of an inline model."),
        KeyRule(
            "path", .text,
            "An `.xcdatamodeld` or `.xcdatamodel`, next to this file or after `fixtures:`."),
        KeyRule("version", .text, "The model version to take from an `.xcdatamodeld`."),
    ]

    static let entity: [KeyRule] = [
        KeyRule("parent", .name, "The superentity."),
        KeyRule("abstract", .flag, "Whether the entity is abstract, so that it has no objects."),
        KeyRule(
            "attributes", .named("an attribute", .line("attribute")), "The entity's attributes."),
        KeyRule(
            "relationships", .named("a relationship", .line("relationship")),
            "The entity's relationships."),
        KeyRule(
            "unique", .list(.oneOrMore(.name)),
            "Uniqueness constraints; an inner list is one constraint over several keys."),
        KeyRule(
            "on-delete", .name,
            "A property that `prepareForDeletion` of the entity's objects reads, as in a class of"
                + " an app; `hook-saw` returns its value."),
    ]

    static let store: [KeyRule] = [
        KeyRule(
            "kind", storeWord,
            "`sqlite-image`, the fastest, is a database in memory; `sqlite` is a file; `in-memory`,"
                + " `xml` and `binary` are Core Data's other stores, which do not support"
                + " constraints, batch requests and SQL."),
        KeyRule(
            "journal", .word(["wal", "delete"], parameter: true),
            "The journal mode of a file; `wal` by default."),
        KeyRule(
            "copy-of", .text,
            "An existing store to copy, next to this file or after `fixtures:`. The original is"
                + " never changed."),
    ]

    static let context: [KeyRule] = [
        KeyRule(
            "queue", .word(["main", "private"], parameter: true),
            "The queue type; `private` by default."),
        KeyRule(
            "parent", .text, "The parent context; by default the context is on a coordinator."),
        KeyRule(
            "coordinator", .name,
            "The name of the context's coordinator; each name is a separate stack on the same"
                + " file."),
        KeyRule("policy", .line("policy"), "The merge policy; `error` by default."),
        KeyRule(
            "automerge", .flag, "Sets `automaticallyMergesChangesFromParent`; off by default."),
        KeyRule("undo", .flag, "Whether the context has an undo manager; none by default."),
        KeyRule(
            "merges-from", .oneOrMore(.nameOrParameter),
            "Contexts whose did-save notifications an observer merges into this context;"
                + " `none` names no context."),
        KeyRule(
            "on-save", .oneOrMore(.name),
            "Blocks that an observer enqueues after each save of this context."),
        KeyRule(
            "waits-on-save", .oneOrMore(.name),
            "Blocks that an observer of this context's did-save notification runs on their queues;"
                + " the observer waits for them, and the save continues when they have ended."),
        KeyRule(
            "waits-on-change", .oneOrMore(.name),
            "Blocks that an observer of the did-change notification runs and waits for."),
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
            "The maximum number of schedules to run per cell. If the file states the limit and"
                + " all of these schedules pass, the scenario passes, and the reasons mention the"
                + " limit."),
        KeyRule(
            "preemptions", .number(0, 1_000),
            "Runs only schedules with at most this many switches away from a session or queue that"
                + " could continue. If all of these schedules pass, the scenario passes, and the"
                + " reasons mention the bound."),
        KeyRule("seed", .number(0, .max), "The seed of the random sample of schedules."),
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
            "The observed values; `serial` matches every outcome that occurs if the sessions run"
                + " one after another."),
        KeyRule(
            "when", .named("a parameter", .oneOrMore(.scalar)),
            "The values of parameters to which this outcome is restricted; by default it applies to"
                + " all values."),
        KeyRule(
            "finding", .word(FindingNames.all, parameter: false),
            "The finding that must accompany a defect."),
        KeyRule("because", .text, required: true, "The reason."),
    ]

    static let cure: [KeyRule] = [
        KeyRule(
            "about", .text, required: true, "The difference from the scenario, and its effect."),
        KeyRule(
            "contexts", .named("a context", .keys(context)),
            "Settings of contexts that replace those of the scenario, and contexts to add."),
        KeyRule(
            "sessions", .named("a session", .keys(curedSession)),
            "Sessions to change or to add. `steps` replaces all steps of the session; other"
                + " sessions stay unchanged."),
        KeyRule(
            "blocks", .named("a block", .keys(block)), "Blocks to add, or to replace as a whole."),
        KeyRule(
            "entities", .named("an entity", .keys(entity)),
            "Entities to add, or to replace as a whole."),
        KeyRule(
            "after", .list(.line("after")), "Required orders that replace those of the scenario."),
        KeyRule(
            "atomic", .list(.line("atomic")),
            "Lists of uninterrupted steps that replace those of the scenario."),
        KeyRule(
            "topology", .word(Topology.allCases.map(\.rawValue), parameter: true),
            "The name of another predefined set of contexts."),
        KeyRule(
            "setup", .list(.line("step")),
            "Statements that create rows, instead of the `setup` of the scenario."),
        KeyRule(
            "invariants", .list(.word(Invariant.allCases.map(\.rawValue), parameter: false)),
            "Findings that no schedule of the cure may have."),
        KeyRule(
            "outcomes", .list(.keys(outcome)), required: true,
            "The possible outcomes of the cure."),
    ]

    static let curedSession: [KeyRule] = [
        KeyRule(
            "context", .name,
            "The context that the steps use; only for a session that the cure adds."),
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
