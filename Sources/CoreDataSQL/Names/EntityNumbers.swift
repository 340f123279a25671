import CoreDataModel

/// The entity numbers of one store (`Z_ENT` in Core Data's files).
///
/// In a new store, the number of an entity is its index plus one. A migrated store may keep older
/// numbers.
@usableFromInline
package struct EntityNumbers: Sendable {
    @usableFromInline let numbers: ContiguousArray<Int64>
    /// The index of the entity with each number; -1 if the model has no such entity.
    @usableFromInline package let indexesByNumber: ContiguousArray<Int32>

    /// Entity numbers are lower than this limit. Core Data's own tables use higher ones: the
    /// numbers of the history start at 16,001.
    private static let numberLimit: Int64 = 16_000

    /// - Parameter numbers: the entity numbers by entity index; 0 for an entity that the file does
    ///   not contain.
    package init(numbers: ContiguousArray<Int64>) {
        self.numbers = numbers
        let largest = numbers.max() ?? 0
        var indexes = ContiguousArray<Int32>(repeating: -1, count: Int(largest) + 1)
        for (index, number) in numbers.enumerated() where number > 0 {
            indexes[Int(number)] = Int32(truncatingIfNeeded: index)
        }
        indexesByNumber = indexes
    }

    /// The entity numbers in a new file.
    package init(inOrderOf layout: ModelLayout) {
        self.init(numbers: ContiguousArray(layout.entities.map { Int64($0.index + 1) }))
    }

    package static func isUsable(_ number: Int64) -> Bool { number > 0 && number < numberLimit }

    @inlinable package func number(of index: Int) -> Int64 { numbers[index] }

    @inlinable package func index(of number: Int64) -> Int? {
        guard number > 0, number < Int64(indexesByNumber.count) else { return nil }
        let index = indexesByNumber[Int(number)]
        return index < 0 ? nil : Int(index)
    }
}
