import LabBench

/// One attempt of a campaign. Its number and the seed determine everything that it does.
struct CrashAttempt {
    let kind: VictimKind
    let journal: JournalSetting
    let seed: UInt64
    var random: SplitMix64

    /// Consecutive attempts use different kinds of victims, so a few attempts cover all kinds.
    init(
        _ number: Int, _ seed: UInt64, _ kinds: [VictimKind],
        journals: (VictimKind) -> [JournalSetting] = { $0.journals }
    ) {
        random = SplitMix64(seed: seed ^ (UInt64(number + 1) &* 0xD134_2543_DE82_EF95))
        kind = kinds[number % kinds.count]
        let journals = journals(kind)
        journal = journals[random.below(journals.count)]
        self.seed = random.next()
    }

    func request(in stores: String, plant: PlantedFault?) -> VictimRequest {
        VictimRequest(
            work: .write, kind: kind, journal: journal, folder: stores, seed: seed, plant: plant)
    }

    /// The first part of a failure's message.
    func label(_ orders: IOShim.Orders) -> String {
        "\(kind.rawValue) \(journal.rawValue) \(orders.shown)"
    }
}
