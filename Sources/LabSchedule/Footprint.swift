/// What one step has read and written, as the world recorded it. The reducing walk calls two steps
/// of different lanes exchangeable where their footprints do not conflict.
package struct Footprint: Sendable, Equatable {
    /// How a step has used a resource.
    package enum Access: UInt8, Sendable {
        case read
        /// Changed in a way that others of the same kind may be exchanged with: two updates of
        /// different rows both add to what a scan of their table would see.
        case add
        case write
        /// Made something that another step could not have run without.
        case provide
        /// Could not have run without what another step provided.
        case require
    }

    /// One resource with its use. The world gives resources numbers.
    package struct Touch: Sendable, Equatable {
        package let resource: UInt64
        package let access: Access

        package init(_ resource: UInt64, _ access: Access) {
            self.resource = resource
            self.access = access
        }
    }

    package private(set) var touches: [Touch] = []
    /// The step conflicts with every other one, whatever that has touched.
    package private(set) var isEverything = false

    package init() {}

    package mutating func add(_ resource: UInt64, _ access: Access) {
        let touch = Touch(resource, access)
        if !touches.contains(touch) { touches.append(touch) }
    }

    /// The same in storage of its own.
    func copied() -> Footprint {
        var copy = self
        copy.touches = touches.map(\.self)
        return copy
    }

    /// The step may have touched anything.
    package mutating func addEverything() { isEverything = true }

    /// What the next slice of the same step may still do: what was posted or waited for is over.
    package var carried: Footprint {
        var carried = self
        carried.touches.removeAll { $0.access == .provide || $0.access == .require }
        return carried
    }

    /// Whether exchanging two neighbouring steps may change what happens.
    package func conflicts(with other: Footprint) -> Bool {
        if isEverything || other.isEverything { return true }
        return touches.contains { mine in
            other.touches.contains { theirs in
                mine.resource == theirs.resource && Self.conflict(mine.access, theirs.access)
            }
        }
    }

    /// Whether this step could not have run before the other.
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
