import Synchronization

/// The functions of a test framework that the recorder needs.
package protocol TestFramework: SendableMetatype {
    /// The test that runs on the current task or thread; nil outside of tests.
    static var currentTest: String? { get }
    /// Starts reporting failed tests to the recorder.
    static func watch(for recorder: Recorder)
}

/// The test frameworks of the process. The recorder asks them for the name of the current test.
package enum TestNames {
    private static let frameworks = Mutex<[any TestFramework.Type]>([])

    /// Adds a framework. For each new coordinator, the recorder asks the framework for the current
    /// test.
    package static func add(_ framework: any TestFramework.Type) {
        frameworks.withLock { frameworks in
            if !frameworks.contains(where: { $0 == framework }) { frameworks.append(framework) }
        }
    }

    static var current: String? {
        for framework in frameworks.withLock({ $0 }) {
            if let test = framework.currentTest { return test }
        }
        return nil
    }

    /// Looks up the types of the test frameworks by name, because a program need not link their
    /// module. Starts reporting failed tests.
    static func watchAll(for recorder: Recorder) {
        let names = ["SwiftTestingWatchO", "XCTestWatchO"]
        for name in names {
            let length = name.utf8.count - 1
            let found = _typeByName("24FaultlineRecorderTesting\(length)\(name)")
            guard let framework = found as? any TestFramework.Type else { continue }
            add(framework)
            framework.watch(for: recorder)
        }
    }
}
