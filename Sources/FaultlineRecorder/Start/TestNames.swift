import Synchronization

/// The recorder's view of a test framework.
package protocol TestFramework: SendableMetatype {
    /// The test that runs on the calling task or thread; nil for none.
    static var currentTest: String? { get }
    /// Starts to report failed tests to the recorder.
    static func watch(for recorder: Recorder)
}

/// The names of the process's tests.
package enum TestNames {
    private static let frameworks = Mutex<[any TestFramework.Type]>([])

    /// Adds a framework that names the tests that create coordinators.
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

    /// Finds the frameworks' module by its name if the program links it.
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
