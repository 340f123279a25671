import BenchResults
import ReportParts

/// Tables of the workloads that other programs also ran. Times are multiples of the time of the C
/// baseline.
enum PeerTables {
    /// Nil if no other program was measured.
    static func table(_ report: BenchReport) -> Table? {
        let names = Set(
            report.results.flatMap(\.strategies).flatMap { ($0.peers ?? []).map(\.name) }
        ).sorted()
        guard !names.isEmpty else { return nil }
        var table = Table(
            [
                .init("workload"), .init("strategy"), .init("C", .right),
                .init("engine", .right), .init("its memory", .right),
            ] + names.flatMap { [.init($0, .right), .init("its memory", .right)] })
        for result in report.results {
            for strategy in result.strategies where strategy.peers?.isEmpty == false {
                let peers = names.flatMap { name in
                    let peer = strategy.peers?.first { $0.name == name }
                    return [
                        peer?.ratio.map { Figures.ratio($0.median) } ?? "",
                        peer.map { Figures.bytes($0.peakMemoryBytes) } ?? "",
                    ]
                }
                table.add(
                    [
                        result.workload, strategy.name,
                        strategy.twin?.time.map { Figures.time($0.medianNanoseconds) } ?? "",
                        strategy.twin?.ratio.map { Figures.ratio($0.median) } ?? "",
                        strategy.peakMemoryBytes.map(Figures.bytes) ?? "",
                    ] + peers)
            }
        }
        return table
    }
}
