/// Which way of fetching is best for what, and what to write.
///
/// A part of the report on a fetch. Counts decide; times only support.
package struct FetchVerdict: Codable, Sendable, Hashable {
    /// One for each purpose.
    package var choices: [Choice]
    /// The index that was tried on the copy; nil where none is missing.
    package var index: IndexAdvice?
    /// The whole request for a list on a screen, as lines of Swift.
    package var code: [String]

    package init(choices: [Choice] = [], index: IndexAdvice? = nil, code: [String] = []) {
        self.choices = choices
        self.index = index
        self.code = code
    }

    /// What is best for one purpose.
    package struct Choice: Codable, Sendable, Hashable {
        /// What the fetch is for, such as `a list that scrolls`.
        package var purpose: String
        /// The best way; several that cost the same are a tie.
        package var ways: [String]
        /// The counts that decided, as a sentence.
        package var reason: String
        /// What to write beside the request.
        package var code: [String]

        package init(purpose: String, ways: [String], reason: String, code: [String] = []) {
            self.purpose = purpose
            self.ways = ways
            self.reason = reason
            self.code = code
        }
    }

    /// An index that was made on the copy, and what became of the fetch.
    package struct IndexAdvice: Codable, Sendable, Hashable {
        package var entity: String
        /// In the order of the index; empty where none of those that were tried helps.
        package var attributes: [String]
        /// The attributes of each further index, where the sides of an OR need one each; nil where
        /// one index is all.
        package var others: [[String]]?
        /// What was found, as a sentence.
        package var reason: String
        /// What to write.
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
