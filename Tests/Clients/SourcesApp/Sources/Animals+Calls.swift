import CoreData

extension Animal {
    @objc func call(loudly: Bool, times: Int = 1) -> String {
        String(repeating: loudly ? "CALL" : "call", count: times)
    }
    @objc dynamic open func describe() -> String { "animal " + (name ?? "") }
    @objc var title: String { "animal" }
    @objc var nickname: String {
        get { name ?? "none" }
        set { name = newValue }
    }
    @objc class func family() -> String { "animals" }
    @objc class var order: Int { 1 }
    @objc subscript(index: Int) -> String { "animal \(index)" }
    @objc func risky() throws -> String { throw Reason.other }
    @objc func slow() async -> String { "slow" }
    @objc(feed:with:) func feed(_ food: inout String, with count: Int) -> Int { count }
    @discardableResult @objc func walk() -> Int { 1 }
    @objc func call(_ number: Int) -> String { "number" }
    @objc private func secret() -> String { "animal's" }
    func reveal() -> String { secret() }
}
