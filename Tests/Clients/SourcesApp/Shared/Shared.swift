import CoreData

/// A delegate protocol, and base classes for classes in another target.
@objc public protocol SharedDelegate {
    @objc optional func shared(_ base: SharedBase, changed count: Int)
    @objc optional func sharedEnded()
}

@objc(SharedBase) open class SharedBase: NSManagedObject {
    @NSManaged @objc(sharedName) public var name: String?
    public weak var delegate: SharedDelegate?
    public func change() {
        delegate?.shared?(self, changed: 2)
        delegate?.sharedEnded?()
    }
    @objc open func body() -> String { "shared body" }
}

extension SharedBase {
    @objc open func inExtension() -> String { "shared" }
    @objc public var sharedText: String { "text of " + (name ?? "") }
}

/// Implements none of the optional methods.
open class SharedListener: NSObject, SharedDelegate {
    public var told: [String] = []
}
