/// Sums of numbers from files, which may overflow.
extension Sequence where Element == Int {
    /// The sum, or the maximum integer if the sum overflows.
    package var total: Int {
        reduce(0) { sum, next in
            let (larger, isBeyond) = sum.addingReportingOverflow(next)
            return isBeyond ? .max : larger
        }
    }
}
