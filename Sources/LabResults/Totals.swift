/// Sums of numbers from files, which can be arbitrarily large.
extension Sequence where Element == Int {
    /// The sum, or the largest number if the sum overflows.
    package var total: Int {
        reduce(0) { sum, next in
            let (larger, isBeyond) = sum.addingReportingOverflow(next)
            return isBeyond ? .max : larger
        }
    }
}
