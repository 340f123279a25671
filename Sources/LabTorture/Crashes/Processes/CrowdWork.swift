struct CrowdRole: Codable, Sendable {}
struct CrowdWork {
    init(_ request: VictimRequest) {}
    func run() throws {}
}
