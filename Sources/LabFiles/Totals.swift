/// Sums of numbers from files. Such sums may overflow.
extension Sequence where Element == Int {
    /// The sum; the maximum integer if it overflows.
    package var total: Int {
        reduce(0) { sum, next in
            let (larger, isBeyond) = sum.addingReportingOverflow(next)
            return isBeyond ? .max : larger
        }
    }
}
