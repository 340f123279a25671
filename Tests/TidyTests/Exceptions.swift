/// The places where a rule does not hold, each with its reason. An exception that nothing needs
/// any more fails a test.
struct Exception {
    let rule: String
    let path: String
    let reason: String
}

enum Exceptions {
    static let all: [Exception] = []
}
