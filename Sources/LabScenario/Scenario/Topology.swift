/// Named sets of contexts for the most common stacks.
///
/// The reader puts the contexts of a topology before the contexts of the file. If both define a
/// context, the settings of the file apply.
package enum Topology: String, Sendable, CaseIterable {
    case siblings, children
    case parentChild = "parent-child"
    case writerMainChild = "writer-main-child"
    case twoCoordinators = "two-coordinators"
    case document

    package var meaning: String {
        switch self {
        case .siblings: "`A` and `B`, private contexts on one coordinator"
        case .children: "`M` on the main queue, and its private children `A` and `B`"
        case .parentChild: "`M` on the main queue, and its private child `C`"
        case .writerMainChild:
            "`W`, a private context on the coordinator, its main-queue child `M`, and the private"
                + " child `C` of `M`"
        case .twoCoordinators: "`A` and `B`, each with a separate coordinator on one file"
        case .document:
            "`W`, a private context on the coordinator, its main-queue child `M`, and the private"
                + " child `I` of `W`, as in a `UIManagedDocument` with an importer"
        }
    }

    /// The contexts with the settings of the topology, parents first.
    package var contexts: [ContextSpec] {
        func context(
            _ name: String, _ queue: ContextSpec.Queue, parent: String? = nil,
            coordinator: String? = nil
        ) -> ContextSpec {
            ContextSpec(
                name: Located(name), queue: .value(queue),
                parent: parent.map { .value(Located($0)) },
                coordinator: coordinator.map { Located($0) })
        }
        return switch self {
        case .siblings: [context("A", .private), context("B", .private)]
        case .children:
            [
                context("M", .main), context("A", .private, parent: "M"),
                context("B", .private, parent: "M"),
            ]
        case .parentChild: [context("M", .main), context("C", .private, parent: "M")]
        case .writerMainChild:
            [
                context("W", .private), context("M", .main, parent: "W"),
                context("C", .private, parent: "M"),
            ]
        case .twoCoordinators:
            [context("A", .private), context("B", .private, coordinator: "second")]
        case .document:
            [
                context("W", .private), context("M", .main, parent: "W"),
                context("I", .private, parent: "W"),
            ]
        }
    }

    /// Applies the settings of a file to the contexts of this topology.
    ///
    /// - Parameter written: the contexts as decoded for another topology of the same matrix
    ///   parameter. Contexts that belong only to other topologies are left out.
    func contexts(under written: [ContextSpec], of scenario: Scenario) -> [ContextSpec] {
        let others = Set(Topology.allCases.flatMap { $0.contexts.map(\.name.value) })
        var made = contexts.map { own -> ContextSpec in
            guard let over = written.first(where: { $0.name.value == own.name.value }) else {
                return own
            }
            var merged = own
            merged.policy = over.policy
            merged.automerge = over.automerge
            merged.mergesFrom = over.mergesFrom
            merged.onSave = over.onSave
            merged.waitsOnSave = over.waitsOnSave
            merged.waitsOnChange = over.waitsOnChange
            merged.undo = over.undo
            return merged
        }
        let known = Set(made.map(\.name.value))
        made += written.filter {
            !known.contains($0.name.value) && !others.contains($0.name.value)
        }
        let names = Set(made.map(\.name.value))
        for index in made.indices {
            made[index].mergesFrom.removeAll { source in
                if case .value(let name) = source { !names.contains(name.value) } else { false }
            }
        }
        return made
    }
}

/// Reported misbehaviour of Apple's framework that this engine imitates on request.
package enum Quirk: String, Sendable, CaseIterable {
    case none
    case refetchKeepsValues = "refetch-keeps-values"
    case childIgnoresBatch = "child-ignores-batch"
    case childIgnoresPrefetch = "child-ignores-prefetch"
    case deletedRowsRaise = "deleted-rows-raise"
    case unsavedIDsAreLost = "unsaved-ids-are-lost"
    case deletingUnsavedRaises = "deleting-unsaved-raises"
    case inIgnoresEntity = "in-ignores-entity"
    case losersDangle = "losers-dangle"
    case mergesAfterObservers = "merges-after-observers"

    package var meaning: String {
        switch self {
        case .none: "no misbehaviour is imitated"
        case .refetchKeepsValues:
            "`refreshing` of a fetch does nothing (measured by a public test, FB7419788)"
        case .childIgnoresBatch:
            "`batch` of a fetch in a child context does nothing (rdar 18332905, 21603124)"
        case .childIgnoresPrefetch:
            "`prefetch` of a fetch in a child context does nothing (rdar 27268968)"
        case .deletedRowsRaise:
            "firing a fault whose row no longer exists fails with error 134060 in every context, as"
                + " before `shouldDeleteInaccessibleFaults`"
        case .unsavedIDsAreLost:
            "`object` finds no object by a permanent id that was obtained for an object that was"
                + " never saved"
        case .deletingUnsavedRaises:
            "the save after a `delete` of an object that was never saved fails with error 134030,"
                + " until `undo`, `reset` or `rollback`"
        case .inIgnoresEntity:
            "`SELF IN $name` in a fetch compares only keys, so it also finds objects whose key"
                + " equals the key of another entity's object"
        case .losersDangle:
            "if a merge policy drops a new object because of a constraint, references to the"
                + " dropped object are saved with its id, which has no row, instead of the id of"
                + " the remaining object"
        case .mergesAfterObservers:
            "a block of `on-save` is queued before the merges of that save, as if its "
                + "observer had been added before automatic merging was turned on"
        }
    }
}

/// A property that every schedule must have. Each name denotes a group of findings.
package enum Invariant: String, Sendable, CaseIterable {
    case noLostUpdate = "no-lost-update"
    case noBlanks = "no-blanks"
    case noStaleReads = "no-stale-reads"
    case noMissedMerge = "no-missed-merge"
    case uniqueHolds = "unique-holds"
    case noPoison = "no-poison"
    case noDangling = "no-dangling"
    case noWriteSkew = "no-write-skew"
    case noResurrection = "no-resurrection"
    case noHalfSave = "no-half-save"
    case noMisuse = "no-misuse"
    case noErrors = "no-errors"
    case noUnsavedReads = "no-unsaved-reads"
    case noReadSkew = "no-read-skew"
    case noPhantoms = "no-phantoms"
    case noDuplicatedMerge = "no-duplicated-merge"
    case converges
    case noGhosts = "no-ghosts"
    case inversesHold = "inverses-hold"
    case noTemporaryIDs = "no-temporary-ids"

    package var findings: [String] {
        switch self {
        case .noLostUpdate: ["lost update", "lost property"]
        case .noBlanks: ["blanked by trump"]
        case .noStaleReads: ["stale read", "read your writes"]
        case .noMissedMerge: ["missed merge", "late merge"]
        case .uniqueHolds: ["unique race"]
        case .noPoison: ["poisoned context"]
        case .noDangling: ["dangling relationship"]
        case .noWriteSkew: ["write skew"]
        case .noResurrection: ["resurrected delete"]
        case .noHalfSave: ["half-way save"]
        case .noMisuse: ["queue confinement", "crossed contexts", "bad predicate"]
        case .noErrors: ["engine error"]
        case .noUnsavedReads: ["dirty read", "intermediate read"]
        case .noReadSkew: ["read skew"]
        case .noPhantoms: ["phantom"]
        case .noDuplicatedMerge: ["duplicated merge"]
        case .converges: ["no convergence"]
        case .noGhosts: ["ghost update"]
        case .inversesHold: ["broken inverse"]
        case .noTemporaryIDs: ["temporary id escaped"]
        }
    }
}

/// A named schedule.
package struct PinnedSpec: Sendable {
    package let name: Located<String>
    package let steps: [String]

    package init(name: Located<String>, steps: [String]) {
        self.name = name
        self.steps = steps
    }
}
