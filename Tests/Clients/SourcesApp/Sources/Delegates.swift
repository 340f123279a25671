import CoreData

@objc protocol LoaderDelegate: NSObjectProtocol {
    func loaderDidStart(_ loader: Loader)
    @objc optional func loaderDidEnd(_ loader: Loader)
    @objc optional func loader(_ loader: Loader, didLoad count: Int) -> Bool
    @objc optional func loader(
        _ loader: Loader, shouldSkip name: String?,
        because reason: Reason
    ) throws -> String
    /// Receives a completion block.
    @objc(loader:completion:) optional func loader(
        _ loader: Loader, completion: @escaping (Int) -> Void)
    @objc optional func change(_ value: inout Int)
}

@objc public protocol DetailedDelegate { @objc optional func detail() -> String }

/// The protocol does not name `AnyObject`, and weak references to it must still compile.
@objc protocol Plain { func plain() -> Int }

class Loader: NSObject {
    weak var delegate: LoaderDelegate?
    weak var plain: Plain?
    var log: [String] = []
    func run() {
        delegate?.loaderDidStart(self)
        delegate?.loaderDidEnd?(self)
        if let more = delegate?.loader?(self, didLoad: 3), more { log.append("more") }
        let skipped = try? delegate?.loader?(self, shouldSkip: nil, because: .other) ?? "none"
        log.append("skip \(skipped ?? "failed")")
        delegate?.loader?(self) { self.log.append("block \($0)") }
        delegate?.loader?(self, completion: { count in self.log.append("argument \(count)") })
        var value = 1
        delegate?.change?(&value)
        log.append("value \(value)")
    }
    func asks(_ delegate: LoaderDelegate) -> [Bool] {
        [
            delegate.loader(_:didLoad:) != nil, delegate.loaderDidEnd != nil,
            delegate.responds(to: #selector(LoaderDelegate.loader(_:completion:))),
        ]
    }
}

class Quiet: NSObject, LoaderDelegate {
    var told: [String] = []
    func loaderDidStart(_ loader: Loader) { told.append("start") }
}

final class Chatty: Quiet {
    func loaderDidEnd(_ loader: Loader) { told.append("end") }
    func loader(_ loader: Loader, didLoad count: Int) -> Bool { count == 3 }
    @objc func change(_ value: inout Int) { value += 1 }
}

class Half: NSObject {
    func loaderDidStart(_ loader: Loader) {}
    func loader(_ loader: Loader, completion: @escaping (Int) -> Void) { completion(5) }
}
extension Half: LoaderDelegate, DetailedDelegate {
    func loader(_ loader: Loader, shouldSkip name: String?, because reason: Reason) throws -> String
    {
        throw reason
    }
}
class Whole: Half {
    func detail() -> String { "detail" }
    override func loader(_ loader: Loader, completion: @escaping (Int) -> Void) { completion(6) }
}
final class Number: NSObject, Plain { func plain() -> Int { 1 } }

func checkDelegates() {
    let loader = Loader()
    let quiet = Quiet()
    loader.delegate = quiet
    loader.run()
    expect("a delegate with no optional method", loader.log, ["skip none", "value 1"])
    expect("the one that is required", quiet.told, ["start"])
    loader.log = []
    let chatty = Chatty()
    loader.delegate = chatty
    loader.run()
    expect("optional methods of a subclass", loader.log, ["more", "skip none", "value 2"])
    expect("one without a result", chatty.told, ["start", "end"])
    expect("asking for them", loader.asks(chatty), [true, true, false])
    loader.log = []
    let half = Half()
    loader.delegate = half
    loader.run()
    expect(
        "optional methods of a conformance in an extension", loader.log,
        ["skip failed", "block 5", "argument 5", "value 1"])
    expect("asking a class that has others", loader.asks(half), [false, false, true])
    let details: [DetailedDelegate] = [half, Whole()]
    expect("a subclass has what the base lacks", details.map { $0.detail?() }, [nil, "detail"])
    loader.log = []
    let whole = Whole()
    loader.delegate = whole
    loader.run()
    expect("an override of an optional method", loader.log.contains("block 6"), true)
    var number: Number? = Number()
    loader.plain = number
    expect("a weak reference to a protocol", loader.plain?.plain(), 1)
    number = nil
    expect("it is weak", loader.plain == nil, true)
}
