/// The size limits of a workload. A larger workload is refused before its data is created.
package enum WorkloadLimits {
    /// The maximum number of combinations of swept values.
    package static let variants = 1_000
    /// The maximum number of books of all authors together.
    package static let books = 20_000_000
    /// The maximum number of bytes of all titles together.
    package static let titleBytes = 4_000_000_000
    /// The maximum number of objects of a user's model, over all entities.
    package static let objects = 5_000_000

    /// The limit that a workload exceeds, and the remedy; nil if the workload may run.
    static func excess(of workload: Workload) -> (problem: String, remedy: String)? {
        let counts = workload.settings.map(\.values.count)
        if product(counts).map({ $0 > variants }) ?? true {
            return (
                "the parameters have more than \(variants) combinations",
                "sweep fewer values, or split the workload into several"
            )
        }
        func most(_ name: String) -> Int {
            let setting = workload.settings.first { $0.spec.name == name }
            return setting?.values.compactMap(\.number).max() ?? 1
        }
        let (authors, each, bytes) = (most("authors"), most("books"), most("title-bytes"))
        if product([authors, each]).map({ $0 > books }) ?? true {
            return (
                "\(authors) authors with \(each) books each exceed the limit",
                "create at most \(books) books"
            )
        }
        if product([authors, each, bytes]).map({ $0 > titleBytes }) ?? true {
            return ("the titles take more than \(titleBytes) bytes", "reduce title-bytes")
        }
        guard let work = workload.operation.library as? any MadeLibrary else { return nil }
        let all = work.made.reduce(0) { $0 + most($1) }
        return all > objects
            ? ("the file requests \(all) objects", "create at most \(objects) objects") : nil
    }

    private static func product(_ numbers: [Int]) -> Int? {
        var result = 1
        for number in numbers {
            let (product, overflow) = result.multipliedReportingOverflow(by: number)
            if overflow { return nil }
            result = product
        }
        return result
    }
}

extension ParameterValue {
    fileprivate var number: Int? {
        if case .integer(let number) = self { return number }
        return nil
    }
}
