import SourceRewriting
import Testing

/// XCTest on Linux does not find methods on the main actor, so they are rewritten.
@Suite struct MainActorTestTests {
    private func rewritten(_ text: String) -> String {
        let text = Rewriting.file(text).text
        #expect(Rewriting.parses(text), "\(text)")
        return text
    }

    @Test func `a nonisolated test calls the test of the main actor`() {
        let text = rewritten(
            "class A: XCTestCase {\n@MainActor func testA() throws {\n}\nfunc testB() {}\n}")
        #expect(text.contains("@MainActor func implementation_A_testA() throws {\n}; nonisolated"))
        #expect(
            text.contains(
                "func testA() throws { try runOnMainActor(self) { try $0.implementation_A_testA() "
                    + "} }"))
        #expect(text.contains("func testB() {}\n"))
    }

    @Test func `the class, its superclass or the extension may have the attribute`() {
        for source in [
            "@MainActor final class A: XCTestCase { func testA() {} }",
            "@MainActor class B: XCTestCase {}\nclass A: B { func testA() {} }",
            "class A: XCTestCase {}\n@MainActor extension A { func testA() {} }",
            "class A: ModelTestCase { @MainActor public func testA() {} }",
        ] {
            let text = rewritten(source)
            #expect(text.contains("func implementation_A_testA() {}; nonisolated "), "\(text)")
            #expect(
                text.contains(
                    "func testA() { runOnMainActor(self) { $0.implementation_A_testA() } }"))
        }
    }

    @Test func `an override stays an override, and calls its superclass`() {
        let text = rewritten(
            "@MainActor class B: XCTestCase { func testA() {} }\n"
                + "class A: B { override func testA() { super.testA() } }")
        #expect(text.contains("class A: B { func implementation_A_testA() { super.testA() }; "))
        #expect(text.contains("nonisolated override func testA() { runOnMainActor(self)"))
    }

    @Test(arguments: [
        "@MainActor class A: XCTestCase { func testA() async {} }",
        "@MainActor class A: XCTestCase { nonisolated func testA() {} }",
        "@MainActor class A: XCTestCase { private func testA() {} }",
        "@MainActor class A: XCTestCase { static func testA() {} }",
        "@MainActor class A: XCTestCase { func testA(a: Int) {} }",
        "@MainActor class A: XCTestCase { func testA() -> Int { 1 } }",
        "@MainActor class A: XCTestCase { func helper() { func testA() {} } }",
        "@MainActor class A: Screen { func testA() {} }",
        "class A: XCTestCase { func testA() { }\nlet a: @MainActor () -> Void = {} }",
    ]) func `other functions and classes are unchanged`(_ source: String) {
        #expect(Rewriting.file(source).text == source)
    }
}
