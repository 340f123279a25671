/// One managed object context.
public struct ContextSpec: Sendable {
    /// The queue of the context.
    public enum Queue: String, Sendable {
        case main
        case `private`
    }

    /// The word in `merges-from` that means no context. A matrix uses it for cells without merges.
    /// If the file has a context with this name, the word means that context.
    package static let noContext = "none"

    package let name: Located<String>
    package var queue: Setting<Queue>
    /// The parent context's name; nil for a context on a coordinator.
    package var parent: Setting<Located<String>>?
    package var coordinator: Located<String>?
    package var policy: Setting<Located<PolicyName>>
    package var automerge: Setting<Bool>
    /// The contexts whose saves an observer merges into this context, or ``noContext``.
    package var mergesFrom: [Setting<Located<String>>]
    /// Blocks that an observer of this context's saves enqueues on the blocks' queues.
    package var onSave: [Located<String>] = []
    /// Blocks that an observer runs inside the did-save or did-change notification.
    package var waitsOnSave: [Located<String>] = []
    package var waitsOnChange: [Located<String>] = []

    package var observingBlocks: [Located<String>] { onSave + waitsOnSave + waitsOnChange }
    package var undo: Setting<Bool> = .value(false)

    package init(
        name: Located<String>, queue: Setting<Queue> = .value(.private),
        parent: Setting<Located<String>>? = nil, coordinator: Located<String>? = nil,
        policy: Setting<Located<PolicyName>> = .value(Located(PolicyName("error"))),
        automerge: Setting<Bool> = .value(false), mergesFrom: [Setting<Located<String>>] = []
    ) {
        self.name = name
        self.queue = queue
        self.parent = parent
        self.coordinator = coordinator
        self.policy = policy
        self.automerge = automerge
        self.mergesFrom = mergesFrom
    }
}

extension ContextSpec {
    /// Combines this context of the file with the context of the same name in the topology. The
    /// queue, the parent or the coordinator that the file does not set comes from the topology.
    func laid(over own: ContextSpec) -> ContextSpec {
        var merged = self
        if case .value(.private) = queue { merged.queue = own.queue }
        if parent == nil { merged.parent = own.parent }
        if coordinator == nil, parent == nil { merged.coordinator = own.coordinator }
        return merged
    }
}
