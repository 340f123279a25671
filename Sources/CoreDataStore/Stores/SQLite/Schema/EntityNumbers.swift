import CoreDataModel

/// Which `Z_ENT` each entity has in one file; made when a store opens, read for every row.
///
/// A new file has the index plus one. A file that was migrated may keep older numbers.
struct EntityNumbers: Sendable {
    private let numbers: ContiguousArray<Int64>
    /// Index by number; -1 where a number belongs to no entity of the model.
    let indexesByNumber: ContiguousArray<Int32>

    /// Above this a number is of Core Data's own tables (history starts at 16,001).
    private static let numberLimit: Int64 = 16_000

    /// - Parameter numbers: by entity index; 0 for an entity that the file does not know.
    package init(numbers: ContiguousArray<Int64>) {
        self.numbers = numbers
        let largest = numbers.max() ?? 0
        var indexes = ContiguousArray<Int32>(repeating: -1, count: Int(largest) + 1)
        for (index, number) in numbers.enumerated() where number > 0 {
            indexes[Int(number)] = Int32(truncatingIfNeeded: index)
        }
        indexesByNumber = indexes
    }

    /// The numbers of a new file.
    package init(inOrderOf layout: ModelLayout) {
        self.init(numbers: ContiguousArray(layout.entities.map { Int64($0.index + 1) }))
    }

    package static func isUsable(_ number: Int64) -> Bool { number > 0 && number < numberLimit }

    package func number(of index: Int) -> Int64 { numbers[index] }

    package func index(of number: Int64) -> Int? {
        guard number > 0, number < Int64(indexesByNumber.count) else { return nil }
        let index = indexesByNumber[Int(number)]
        return index < 0 ? nil : Int(index)
    }
}
