import Foundation

// Apple's Foundation contains the superclasses, so the app's file imports only Foundation.

@objc(ReversedTransformer)
final class ReversedTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSString.self }
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? {
        (value as? String).map { String($0.reversed()) }
    }
    override func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }
}

struct Finder {
    func find(_ word: String, in words: [String]) -> [String] {
        let predicate = NSPredicate(format: "SELF CONTAINS[c] %@", word)
        let order = NSSortDescriptor(key: "self", ascending: false)
        return NSArray(array: words).filtered(using: predicate)
            .sorted { order.ascending ? "\($0)" < "\($1)" : "\($0)" > "\($1)" } as! [String]
    }
}

/// A transformer of closures, which has no initialiser without arguments.
class ClosureTransformer<Value: AnyObject>: ValueTransformer {
    private let transform: (Value?) -> Any?
    init(transform: @escaping (Value?) -> Any?) {
        self.transform = transform
        super.init()
    }
    override func transformedValue(_ value: Any?) -> Any? { transform(value as? Value) }
}

public final class CountingTransformer: ValueTransformer {
    let start: Int
    override public init() {
        start = 1
        super.init()
    }
    public override func transformedValue(_ value: Any?) -> Any? { start }
}

extension Finder {
    func matches(_ word: String, _ format: String, _ arguments: CVarArg...) -> Bool {
        NSPredicate(format: format, arguments: getVaList(arguments)).evaluate(with: word)
    }
}
