import CoreData

class Machine: NSObject {
    @objc var isRunning = false
    @objc(speedInHertz) var speed = 0
    @objc var mode: Int {
        @objc(currentMode) get { 1 }
        @objc(switchToMode:) set { _ = newValue }
    }
    @objc func run() {}
    @objc func run(_ count: Int) {}
    @objc func run(_ name: String) {}
    @objc func run(from start: Int, to end: Int) {}
    @objc func move(by distance: Int) {}
    @objc func sort(using: Int) {}
    @objc func turnTo(angle: Int) {}
    @objc func stop(machine: Machine, _ now: Bool, then: Int) {}
    @objc func load() throws {}
    @objc func load(file: String) throws -> Machine { self }
    @objc func fetch() async {}
    @objc func fetch(page: Int) async throws -> Machine { self }
    @objc static func reset() {}
    @objc class func start(with mode: Int) {}
    @objc private func hidden(_ value: Int) {}
    @objc(odd:name:) func ordinary(a: Int, b: Int) {}
    @objc func `repeat`(_ x: Int) {}
    @objc func größer(als: Int) {}
    static let actions: [Selector] = [#selector(hidden(_:)), #selector(Machine.hidden)]
    var own: Selector { #selector(self.run(from:to:)) }
    var ownType: Selector { #selector(Self.start) }
    lazy var later = #selector(hidden(_:))
    func asDefault(_ selector: Selector = #selector(run as () -> Void)) -> String {
        "\(selector)"
    }
    class Part: NSObject { @objc func turn(_ sender: Any?) {} }
}

@objc protocol Worker { @objc(workHarder:) func work(_ hours: Int) }

extension Machine {
    @objc func fromExtension(_ x: Int, and y: Int) {}
    enum Action {
        static let part = #selector(Part.turn(_:))
        static let all = [#selector(Machine.run(_:) as (Machine) -> (String) -> Void)]
    }
}

func checkSelectors() {
    func name(_ selector: Selector) -> String { NSStringFromSelector(selector) }
    expect("a getter", name(#selector(getter: Machine.isRunning)), "isRunning")
    expect("a setter", name(#selector(setter: Machine.isRunning)), "setIsRunning:")
    expect("a renamed getter", name(#selector(getter: Machine.speed)), "speedInHertz")
    expect("a renamed setter", name(#selector(setter: Machine.speed)), "setSpeedInHertz:")
    expect("a getter that is named itself", name(#selector(getter: Machine.mode)), "currentMode")
    expect("a setter that is named itself", name(#selector(setter: Machine.mode)), "switchToMode:")
    expect(
        "an overload without parameters", name(#selector(Machine.run as (Machine) -> () -> Void)),
        "run")
    expect("an overload by label", name(#selector(Machine.run(from:to:))), "runFrom:to:")
    expect(
        "an overload by type", name(#selector(Machine.run(_:) as (Machine) -> (Int) -> Void)),
        "run:")
    expect("a preposition", name(#selector(Machine.move(by:))), "moveBy:")
    expect("another preposition", name(#selector(Machine.sort(using:))), "sortUsing:")
    expect("a preposition at the end", name(#selector(Machine.turnTo(angle:))), "turnToAngle:")
    expect(
        "an empty label", name(#selector(Machine.stop(machine:_:then:))), "stopWithMachine::then:")
    expect(
        "one that throws", name(#selector(Machine.load as (Machine) -> () throws -> Void)),
        "loadAndReturnError:")
    expect(
        "one that throws, with parameters", name(#selector(Machine.load(file:))),
        "loadWithFile:error:")
    expect(
        "an asynchronous one", name(#selector(Machine.fetch(page:))),
        "fetchWithPage:completionHandler:")
    expect("a static one", name(#selector(Machine.reset)), "reset")
    expect("a class method", name(#selector(Machine.start(with:))), "startWith:")
    expect("private ones", Machine.actions.map(name), ["hidden:", "hidden:"])
    expect("a name for Objective-C", name(#selector(Machine.ordinary(a:b:))), "odd:name:")
    expect("a backticked one", name(#selector(Machine.repeat(_:))), "repeat:")
    expect("one beyond ASCII", name(#selector(Machine.größer(als:))), "größerWithAls:")
    expect("by self", name(Machine().own), "runFrom:to:")
    expect("by Self", name(Machine().ownType), "startWith:")
    expect("in a lazy variable", name(Machine().later), "hidden:")
    expect("as a default", Machine().asDefault(), "run")
    expect("of a nested class", name(Machine.Action.part), "turn:")
    expect("in an array", Machine.Action.all.map(name), ["run:"])
    expect("of a protocol", name(#selector(Worker.work(_:))), "workHarder:")
    expect("of an extension", name(#selector(Machine.fromExtension)), "fromExtension:and:")
    expect("of an object", name(#selector(Machine().run(from:to:))), "runFrom:to:")
    expect("an initialiser", name(#selector(NSObject.init)), "init")
    expect("in parentheses", name(#selector((Machine.move(by:)))), "moveBy:")
    expect(
        "of Foundation",
        name(#selector(NSString.localizedStandardCompare(_:))), "localizedStandardCompare:")
    let sorted = NSSortDescriptor(
        key: "self", ascending: true, selector: #selector(NSString.caseInsensitiveCompare(_:)))
    expect("in a sort descriptor", sorted.selector?.description, "caseInsensitiveCompare:")
}
