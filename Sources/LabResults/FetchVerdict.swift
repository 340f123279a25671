/// The best strategy of a fetch for each purpose, and its code.
///
/// Counts decide the choice. Times are only additional evidence.
package struct FetchVerdict: Codable, Sendable, Hashable {
    package var choices: [Choice]
    /// The index that was tried on a copy of the store; nil if the fetch needs no other index.
    package var index: IndexAdvice?
    /// The complete request for a list on a screen, as lines of Swift code.
    package var code: [String]

    package init(choices: [Choice] = [], index: IndexAdvice? = nil, code: [String] = []) {
        self.choices = choices
        self.index = index
        self.code = code
    }

    /// The best strategy for one purpose.
    package struct Choice: Codable, Sendable, Hashable {
        /// The purpose of the fetch, such as `a list that scrolls`.
        package var purpose: String
        /// The best strategy. If several strategies have equal costs, all of them.
        package var ways: [String]
        /// A sentence about the counts that decided.
        package var reason: String
        /// The lines of Swift code to add to the request.
        package var code: [String]

        package init(purpose: String, ways: [String], reason: String, code: [String] = []) {
            self.purpose = purpose
            self.ways = ways
            self.reason = reason
            self.code = code
        }
    }

    /// An index that was created on a copy of the store, and its effect on the fetch.
    package struct IndexAdvice: Codable, Sendable, Hashable {
        package var entity: String
        /// The attributes of the index, in order; empty if none of the tried indexes helps.
        package var attributes: [String]
        /// The attributes of further indexes, if each side of an OR needs its own index.
        package var others: [[String]]?
        package var reason: String
        /// The Swift code that declares the index.
        package var code: [String]
        package var planBefore: [String]
        package var planAfter: [String]
        package var vmStepsBefore: Int
        package var vmStepsAfter: Int
        package var nanosecondsBefore: UInt64
        package var nanosecondsAfter: UInt64

        package init(
            entity: String, attributes: [String], others: [[String]]? = nil, reason: String,
            code: [String] = [], planBefore: [String], planAfter: [String] = [],
            vmStepsBefore: Int, vmStepsAfter: Int = 0, nanosecondsBefore: UInt64 = 0,
            nanosecondsAfter: UInt64 = 0
        ) {
            self.entity = entity
            self.attributes = attributes
            self.others = others
            self.reason = reason
            self.code = code
            self.planBefore = planBefore
            self.planAfter = planAfter
            self.vmStepsBefore = vmStepsBefore
            self.vmStepsAfter = vmStepsAfter
            self.nanosecondsBefore = nanosecondsBefore
            self.nanosecondsAfter = nanosecondsAfter
        }
    }
}
