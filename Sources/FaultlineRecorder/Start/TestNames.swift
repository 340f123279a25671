import Synchronization

/// A framework that runs tests, as the recorder sees it.
package protocol TestFramework: SendableMetatype {
    /// Tells the test that the calling task or thread runs; nil for none.
    static var currentTest: String? { get }
    /// Begins to tell the recorder of tests that fail.
    static func watch(for recorder: Recorder)
}

/// What is known of the tests of the process.
package enum TestNames {
    private static let frameworks = Mutex<[any TestFramework.Type]>([])

    /// Has a framework name the tests that make coordinators.
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

    /// Finds the frameworks' module by its name, where the program links it.
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
