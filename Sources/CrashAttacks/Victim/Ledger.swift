import LabBench

/// The expected content of a store.
struct Ledger: Equatable, Sendable {
    struct Account: Equatable, Sendable {
        var name: String
        var amount: Int64
        /// The number of bytes in the account's note. Each byte is computed from the account's
        /// serial number.
        var noteSize: Int
        var tags: Set<Int64> = []
        /// The serial numbers of the account's entries, in order.
        var entries: [Int64] = []
    }

    var accounts: [Int64: Account] = [:]
    var tags: [Int64: String] = [:]
    var entries: [Int64: String] = [:]
    /// The number that is stored in the store's metadata.
    var mark: Int64 = 0

    /// One change. A step saves several changes together.
    enum Edit: Equatable, Sendable {
        case addTag(Int64, label: String)
        case addAccount(Int64, name: String, amount: Int64, noteSize: Int)
        case addEntry(Int64, account: Int64, text: String)
        case link(account: Int64, tag: Int64)
        case unlink(account: Int64, tag: Int64)
        case pay(account: Int64, amount: Int64)
        case rename(account: Int64, name: String)
        case reverseEntries(account: Int64)
        case removeAccount(Int64)
        case batchInsert([Int64])
        case batchPay(below: Int64, amount: Int64)
        case batchRemove(below: Int64)
        case mark(Int64)
    }

    mutating func apply(_ edits: [Edit]) {
        for edit in edits { apply(edit) }
    }

    private mutating func apply(_ edit: Edit) {
        switch edit {
        case .addTag(let serial, let label): tags[serial] = label
        case .addAccount(let serial, let name, let amount, let size):
            accounts[serial] = Account(name: name, amount: amount, noteSize: size)
        case .addEntry(let serial, let account, let text):
            entries[serial] = text
            accounts[account]?.entries.append(serial)
        case .link(let account, let tag): accounts[account]?.tags.insert(tag)
        case .unlink(let account, let tag): accounts[account]?.tags.remove(tag)
        case .pay(let account, let amount): accounts[account]?.amount += amount
        case .rename(let account, let name): accounts[account]?.name = name
        case .reverseEntries(let account): accounts[account]?.entries.reverse()
        case .removeAccount(let serial): remove(serial)
        case .batchInsert(let serials):
            for serial in serials {
                accounts[serial] = Account(name: "batch \(serial)", amount: serial, noteSize: 0)
            }
        case .batchPay(let bound, let amount):
            for serial in accounts.keys where serial < bound { accounts[serial]?.amount = amount }
        case .batchRemove(let bound):
            for serial in accounts.keys.filter({ $0 < bound }) { remove(serial) }
        case .mark(let number): mark = number
        }
    }

    private mutating func remove(_ serial: Int64) {
        for entry in accounts[serial]?.entries ?? [] { entries[entry] = nil }
        accounts[serial] = nil
    }

    func difference(from other: Ledger) -> String? {
        if let serial = Self.differing(accounts, other.accounts) {
            return "account \(serial): \(Self.show(accounts[serial])), expected"
                + " \(Self.show(other.accounts[serial]))"
        }
        if let serial = Self.differing(entries, other.entries) {
            return "entry \(serial): \(entries[serial] ?? "none"), expected"
                + " \(other.entries[serial] ?? "none")"
        }
        if let serial = Self.differing(tags, other.tags) {
            return "tag \(serial): \(tags[serial] ?? "none"), expected"
                + " \(other.tags[serial] ?? "none")"
        }
        return mark == other.mark ? nil : "metadata \(mark), expected \(other.mark)"
    }

    private static func differing<T: Equatable>(
        _ one: [Int64: T], _ other: [Int64: T]
    ) -> Int64? {
        Set(one.keys).union(other.keys).filter { one[$0] != other[$0] }.min()
    }

    private static func show(_ account: Account?) -> String {
        guard let account else { return "none" }
        return "\(account.name) \(account.amount) note \(account.noteSize)"
            + " tags \(account.tags.sorted()) entries \(account.entries)"
    }
}

/// The steps that a victim process executes.
struct LedgerScript: Codable, Sendable, Equatable {
    enum Style: String, Codable, Sendable {
        case graphs, batches
        /// Each step saves a metadata value and an object together.
        case metadata
        /// Each step sets a metadata value while the store is closed, and saves no object.
        case marks
    }

    var seed: UInt64
    var style = Style.graphs
    /// The number of the first step. Serial numbers are computed from step numbers, so scripts with
    /// different step numbers add objects with different serial numbers.
    var first = 0
    var count: Int

    var numbers: Range<Int> { first..<first + count }

    /// The changes of one step. They depend on the contents of the ledger.
    func edits(_ number: Int, on ledger: Ledger) -> [Ledger.Edit] {
        var random = SplitMix64(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        let base = Int64(number + 1) * 1_000
        switch style {
        case .metadata: return [.mark(base), .addTag(base, label: "tag \(number)")]
        case .marks: return [.mark(base)]
        case .batches: return [batch(number, base, &random, ledger)]
        case .graphs: return graph(number, base, &random, ledger)
        }
    }

    private func batch(
        _ number: Int, _ base: Int64, _ random: inout SplitMix64, _ ledger: Ledger
    ) -> Ledger.Edit {
        let known = ledger.accounts.keys.sorted()
        switch number % 4 {
        case 1 where !known.isEmpty:
            return .batchPay(below: base, amount: base)
        case 3 where known.count > 12:
            return .batchRemove(below: known[random.below(known.count / 2) + 1])
        default: return .batchInsert((0..<Int64(4 + random.below(12))).map { base + $0 })
        }
    }

    private func graph(
        _ number: Int, _ base: Int64, _ random: inout SplitMix64, _ ledger: Ledger
    ) -> [Ledger.Edit] {
        var edits: [Ledger.Edit] = [.addTag(base, label: "tag \(number)")]
        var known = ledger.accounts.keys.sorted()
        let tags = ledger.tags.keys.sorted() + [base]
        // One account in ten has a note that does not fit in one database page.
        let size = random.below(10) == 0 ? 20_000 : random.below(300)
        edits.append(
            .addAccount(base, name: "account \(number)", amount: Int64(number), noteSize: size))
        for entry in 0..<Int64(1 + random.below(3)) {
            edits.append(.addEntry(base + entry, account: base, text: "entry \(base + entry)"))
        }
        for _ in 0...random.below(2) {
            edits.append(.link(account: base, tag: tags[random.below(tags.count)]))
        }
        for _ in 0..<random.below(4) where !known.isEmpty {
            let place = random.below(known.count)
            let serial = known[place]
            guard let account = ledger.accounts[serial] else { continue }
            // A step changes each account at most once. So it does not change an account that it
            // removes.
            known.remove(at: place)
            edits += change(serial, account, base, late: Int64(edits.count), &random, tags)
        }
        return edits
    }

    private func change(
        _ serial: Int64, _ account: Ledger.Account, _ base: Int64, late: Int64,
        _ random: inout SplitMix64, _ tags: [Int64]
    ) -> [Ledger.Edit] {
        switch random.below(7) {
        case 0: return [.removeAccount(serial)]
        case 1: return [.reverseEntries(account: serial)]
        case 2: return [.rename(account: serial, name: "renamed by \(base)")]
        case 3: return [.link(account: serial, tag: tags[random.below(tags.count)])]
        case 4: return account.tags.min().map { [.unlink(account: serial, tag: $0)] } ?? []
        case 5:
            return [.addEntry(base + 500 + late, account: serial, text: "late entry")]
        default: return [.pay(account: serial, amount: base)]
        }
    }

    func replay(_ steps: [Int], on start: Ledger) -> Ledger {
        var ledger = start
        for number in steps { ledger.apply(edits(number, on: ledger)) }
        return ledger
    }
}
