/// The reads and writes of one step, recorded by the world. If two steps of different lanes
/// (sessions or mailboxes) do not conflict, the reduced walk runs only one of their two orders.
package struct Footprint: Sendable, Equatable {
    /// How a step has used a resource.
    package enum Access: UInt8, Sendable {
        case read
        /// The step makes a change that commutes with other changes of this kind. For example,
        /// insertions of two rows commute, although both conflict with a scan of the table.
        case add
        case write
        /// The step creates something that another step needs to run.
        case provide
        /// The step needs something that another step creates.
        case require
    }

    /// One resource, by its number in the world, and its use.
    package struct Touch: Sendable, Equatable {
        package let resource: UInt64
        package let access: Access

        package init(_ resource: UInt64, _ access: Access) {
            self.resource = resource
            self.access = access
        }
    }

    package private(set) var touches: [Touch] = []
    /// Whether the step conflicts with every other step.
    package private(set) var isEverything = false

    package init() {}

    package mutating func add(_ resource: UInt64, _ access: Access) {
        let touch = Touch(resource, access)
        if !touches.contains(touch) { touches.append(touch) }
    }

    func copied() -> Footprint {
        var copy = self
        copy.touches = touches.map(\.self)
        return copy
    }

    /// Marks the step as one that may have used any resource.
    package mutating func addEverything() { isEverything = true }

    /// The footprint with which the next slice of the step begins. A slice is a part of a step
    /// between two choices. Resources that earlier slices provided or required are left out.
    package var carried: Footprint {
        var carried = self
        carried.touches.removeAll { $0.access == .provide || $0.access == .require }
        return carried
    }

    /// Whether swapping two adjacent steps may change the result.
    package func conflicts(with other: Footprint) -> Bool {
        if isEverything || other.isEverything { return true }
        return touches.contains { mine in
            other.touches.contains { theirs in
                mine.resource == theirs.resource && Self.conflict(mine.access, theirs.access)
            }
        }
    }

    /// Whether this step could not have run before the other step.
    package func requires(_ other: Footprint) -> Bool {
        touches.contains { mine in
            mine.access == .require
                && other.touches.contains(Touch(mine.resource, .provide))
        }
    }

    private static func conflict(_ one: Access, _ other: Access) -> Bool {
        switch (one, other) {
        case (.read, .read), (.add, .add): false
        case (.provide, .require), (.require, .provide): true
        case (.provide, _), (_, .provide), (.require, _), (_, .require): false
        default: true
        }
    }
}
