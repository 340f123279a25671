/// Passes events of the app to a handler, which counts them.
open class EventMapping<Event> {
    public typealias Mapping = (
        _ event: Event, _ error: (any Error)?, _ parameters: [String: String]?,
        _ onComplete: @escaping ((any Error)?) -> Void
    ) -> Void

    private let mapping: Mapping

    public init(mapping: @escaping Mapping) { self.mapping = mapping }

    public func fire(_ event: Event, error: (any Error)? = nil) {
        mapping(event, error, nil) { _ in }
    }
}
