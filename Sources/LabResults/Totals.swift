/// Adding up the numbers of files, which may be any.
extension Sequence where Element == Int {
    /// The sum, or the largest number where it would be beyond that.
    package var total: Int {
        reduce(0) { sum, next in
            let (larger, isBeyond) = sum.addingReportingOverflow(next)
            return isBeyond ? .max : larger
        }
    }
}
