import OpenCombine

extension Publishers {
    /// Merges the values of two publishers in the order of their arrival; OpenCombine has no such
    /// publisher.
    public struct Merge<A: Publisher, B: Publisher>: Publisher
    where B.Output == A.Output, B.Failure == A.Failure {
        public typealias Output = A.Output
        public typealias Failure = A.Failure

        private let sources: [AnyPublisher<Output, Failure>]

        public init(_ first: A, _ second: B) {
            sources = [first.eraseToAnyPublisher(), second.eraseToAnyPublisher()]
        }

        public func receive<S: Subscriber>(subscriber: S)
        where S.Input == Output, S.Failure == Failure {
            Publishers.Sequence<[AnyPublisher<Output, Failure>], Failure>(sequence: sources)
                .flatMap { $0 }
                .receive(subscriber: subscriber)
        }
    }
}
