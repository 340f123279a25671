import CoreData
import Foundation
import FoundationNetworking
import LabRunner
import Testing

/// Tests of explored code that waits for requests of `URLSession`. A stub answers each request, so
/// no test needs a network.
@Suite struct RequestsInCodeTests {
    private final class Stub: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { true }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
        override func stopLoading() {}

        override func startLoading() {
            guard let url = request.url, let client else { return }
            let response = URLResponse(
                url: url, mimeType: nil, expectedContentLength: 2, textEncodingName: nil)
            client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client.urlProtocol(self, didLoad: Data("12".utf8))
            client.urlProtocolDidFinishLoading(self)
        }
    }

    private static let requests: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Stub.self]
        return URLSession(configuration: configuration)
    }()

    // Safe: the text is a valid URL.
    private static let url = URL(string: "stub://shop/balance")!

    @Test func `a schedule goes on when a request is answered`() throws {
        let report = try Lab.explore("a request", .unhurried()) { lab in
            let stack = try lab.stack(model: Shop.model)
            let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
            lab.session("sync") {
                let (data, _) = try await Self.requests.data(from: Self.url)
                let amount = try #require(Int(String(decoding: data, as: UTF8.self)))
                try Shop.add(amount, to: id, in: stack.newBackgroundContext())
            }
            lab.finally { try #expect(Shop.balance(of: id, in: stack) == 22) }
        }
        #expect(report.isComplete)
    }

    @Test func `an answer that uses the stack on the thread of the request is reported`() throws {
        let error = #expect(throws: (any Error).self) {
            try Lab.explore("a request", .unhurried()) { lab in
                let stack = try lab.stack(model: Shop.model)
                let id = try lab.setup { try Shop.account(balance: 10, in: stack) }
                lab.session("sync") {
                    await withCheckedContinuation { continuation in
                        let task = Self.requests.dataTask(with: Self.url) { _, _, _ in
                            try? Shop.add(1, to: id, in: stack.newBackgroundContext())
                            continuation.resume()
                        }
                        task.resume()
                    }
                }
            }
        }
        let text = "\(try #require(error))"
        #expect(
            text.contains("a thread that the lab did not create") || text.contains("never ends"))
    }
}
