import CoreDataTrace
import Foundation

/// The initialisers and properties that Apple's list and table frameworks add to index paths.
extension IndexPath {
    /// Creates the path of a row in a section.
    public init(row: Int, section: Int) {
        self.init(indexes: [section, row])
    }

    /// Creates the path of an item in a section.
    public init(item: Int, section: Int) {
        self.init(indexes: [section, item])
    }

    /// The section: the first of two indexes.
    ///
    /// - Precondition: The path has two indexes.
    public var section: Int {
        get { place(0) }
        set { replace(0, newValue) }
    }

    /// The row: the second of two indexes.
    ///
    /// - Precondition: The path has two indexes.
    public var row: Int {
        get { place(1) }
        set { replace(1, newValue) }
    }

    /// The item: the second of two indexes.
    ///
    /// - Precondition: The path has two indexes.
    public var item: Int {
        get { place(1) }
        set { replace(1, newValue) }
    }

    private func place(_ position: Int) -> Int {
        trap(
            unless: count == 2,
            "Invalid index path for use with a results controller: \(self). It has exactly two"
                + " indexes, a section and a row.")
        return self[position]
    }

    private mutating func replace(_ position: Int, _ value: Int) {
        var places = [place(0), place(1)]
        places[position] = value
        self = IndexPath(indexes: places)
    }
}
