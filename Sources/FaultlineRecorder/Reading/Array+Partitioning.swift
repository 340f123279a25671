extension Array {
    /// The index of the first element that fulfils a condition, which all later elements fulfil,
    /// too; the end if no element fulfils it.
    func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
