import Synchronization

/// The functions of a test framework that the recorder needs.
package protocol TestFramework: SendableMetatype {
    /// The test that runs on the calling task or thread; nil for none.
    static var currentTest: String? { get }
    /// Starts to report failed tests to the recorder.
    static func watch(for recorder: Recorder)
}

/// The test frameworks of the process, which name the current test.
package enum TestNames {
    private static let frameworks = Mutex<[any TestFramework.Type]>([])

    /// Adds a framework. The recorder asks it which test creates a coordinator.
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

    /// Finds the frameworks' types by their names, if the program links their module, and reports
    /// their failed tests to the recorder.
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
